package io.delayqueue.gateway.callback;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.apache.hc.client5.http.DnsResolver;

/**
 * Resolves host names for HttpClient and refuses a host if one of its addresses is refused. HttpClient connects to the addresses that this
 * returns, so none is used that was not checked, whatever the name server answers next. Thread-safe.
 */
final class CheckedResolver implements DnsResolver {

    private final DnsResolver resolver;
    private final RefusedRanges refused;

    /** @param resolver asks the name servers */
    CheckedResolver(DnsResolver resolver, RefusedRanges refused) {
        this.resolver = resolver;
        this.refused = refused;
    }

    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
        InetAddress literal = AddressLiteral.parse(host);
        if (literal == null && AddressLiteral.looksLikeNumber(host)) {
            throw new UnknownHostException("'" + host + "' is neither a host name nor an IP address");
        }
        InetAddress[] addresses = literal == null ? resolver.resolve(host) : new InetAddress[] {literal};
        if (addresses == null || addresses.length == 0) {
            throw new UnknownHostException("host '" + host + "' has no address");
        }
        for (InetAddress address : addresses) {
            if (refused.contains(address)) {
                throw new RefusedAddressException(host);
            }
        }
        return addresses;
    }

    /** The host itself: a name server's other name for it is neither checked nor used. */
    @Override
    public String resolveCanonicalHostname(String host) {
        return host;
    }
}
