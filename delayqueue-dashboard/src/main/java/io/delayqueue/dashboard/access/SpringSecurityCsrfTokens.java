package io.delayqueue.dashboard.access;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.security.web.csrf.CsrfToken;

/** Tokens of Spring Security. */
public final class SpringSecurityCsrfTokens implements CsrfTokens {

    @Override
    public Token of(HttpServletRequest request) {
        return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                ? new Token(token.getHeaderName(), token.getToken())
                : Token.NONE;
    }
}
