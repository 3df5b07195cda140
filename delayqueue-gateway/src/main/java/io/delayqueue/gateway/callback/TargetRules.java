package io.delayqueue.gateway.callback;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which URLs callbacks may be sent to. Applied when a message is scheduled and again each time that it is sent: the rules may have
 * changed. The addresses of host names are checked later, by the {@link CheckedResolver}. Thread-safe.
 */
final class TargetRules {

    private static final int MAX_LENGTH = 2_000;
    private static final int MAX_HOST = 253;
    private static final int HTTPS_PORT = 443;
    private static final int HTTP_PORT = 80;
    private static final String LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
    private static final Pattern HOST_NAME = Pattern.compile(LABEL + "(\\." + LABEL + ")*");

    private final boolean allowHttp;
    private final List<String> hosts;
    private final Set<Integer> ports;
    private final RefusedRanges refused;

    /**
     * Rules of a configuration.
     *
     * @param allowHttp whether URLs without encryption are allowed
     * @param hosts allowed hosts: a name, {@code *.example.com} for the names below one, or {@code *} for every host
     * @param ports allowed ports; empty for the port of the scheme only
     * @param refused addresses that a URL may not contain
     */
    TargetRules(boolean allowHttp, List<String> hosts, Set<Integer> ports, RefusedRanges refused) {
        this.allowHttp = allowHttp;
        this.hosts = hosts.stream().map(host -> host.toLowerCase(Locale.ROOT)).toList();
        this.ports = Set.copyOf(ports);
        this.refused = refused;
    }

    /**
     * The URL of this text.
     *
     * @throws TargetException if no callback may be sent there
     */
    URI check(String url) {
        URI parsed = parse(url);
        boolean isHttps = "https".equalsIgnoreCase(parsed.getScheme());
        if (!isHttps && !(allowHttp && "http".equalsIgnoreCase(parsed.getScheme()))) {
            throw new TargetException("the URL must begin with https://" + (allowHttp ? " or http://" : ""));
        }
        if (parsed.getRawUserInfo() != null) {
            throw new TargetException("the URL may not contain a user");
        }
        if (parsed.getRawFragment() != null) {
            throw new TargetException("the URL may not have a fragment");
        }
        checkPort(parsed, isHttps ? HTTPS_PORT : HTTP_PORT);
        checkHost(parsed);
        return parsed;
    }

    private static URI parse(String url) {
        if (url.length() > MAX_LENGTH) {
            throw new TargetException("the URL is longer than " + MAX_LENGTH + " characters");
        }
        if (url.chars().anyMatch(c -> c <= ' ' || c >= 0x7f || c == '\\')) {
            throw new TargetException("the URL has a character that must be encoded");
        }
        try {
            // without a host that is one by the URI standard, this throws: no two parsers may see two hosts
            return new URI(url).parseServerAuthority();
        } catch (URISyntaxException e) {
            throw new TargetException("the URL is malformed");
        }
    }

    private void checkPort(URI url, int schemePort) {
        int port = url.getPort() < 0 ? schemePort : url.getPort();
        if (ports.isEmpty() ? port != schemePort : !ports.contains(port)) {
            throw new TargetException("port " + port + " is not allowed");
        }
    }

    private void checkHost(URI url) {
        String host = url.getHost() == null ? "" : url.getHost().toLowerCase(Locale.ROOT);
        InetAddress address = AddressLiteral.parse(host);
        if (address != null) {
            if (refused.contains(address)) {
                throw new TargetException("the URL has an address to which callbacks are not sent");
            }
        } else if (host.length() > MAX_HOST
                || !HOST_NAME.matcher(host).matches()
                || AddressLiteral.looksLikeNumber(host)) {
            throw new TargetException("the URL has no valid host name");
        }
        if (!allowsHost(host)) {
            throw new TargetException("the host of the URL is not among the allowed hosts");
        }
    }

    /** Whether a host is among the allowed ones; its name is in lower case. */
    boolean allowsHost(String host) {
        return hosts.stream().anyMatch(allowed -> matches(allowed, host));
    }

    private static boolean matches(String allowed, String host) {
        if (allowed.equals("*")) {
            return true;
        }
        return allowed.startsWith("*.") ? host.endsWith(allowed.substring(1)) : host.equals(allowed);
    }
}
