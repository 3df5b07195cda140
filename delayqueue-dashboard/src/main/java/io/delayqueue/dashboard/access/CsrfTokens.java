package io.delayqueue.dashboard.access;

import jakarta.servlet.http.HttpServletRequest;

/** Supplies the token by which the application's CSRF protection recognises requests of the page. */
@FunctionalInterface
public interface CsrfTokens {

    /** Of an application without that protection. */
    CsrfTokens NONE = request -> Token.NONE;

    /** The token of this request's session; {@link Token#NONE} if there is none. */
    Token of(HttpServletRequest request);

    /**
     * A token.
     *
     * @param header name of the header that carries it; empty for none
     * @param value its value; empty for none
     */
    record Token(String header, String value) {

        /** No token. */
        public static final Token NONE = new Token("", "");
    }
}
