package io.delayqueue.gateway.http.request;

import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.http.body.BoundedBody;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.security.Caller;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Waits for bodies without a thread, and lets requests go on whose body has come. So slow clients hold none of the container's threads:
 * each has a time for its whole body, and only a bounded number of bodies, and of their bytes, are on their way.
 *
 * <p>It is to be the last filter: a request goes on by an asynchronous dispatch, in which many filters are left out. It handles requests
 * that {@link CallerFilter} let pass, so nothing is read for callers that are not known. If a filter before it has another body for the
 * request, that is read by a thread.
 */
public final class BodyArrivalFilter extends OncePerRequestFilter {

    private static final Logger log = LoggerFactory.getLogger(BodyArrivalFilter.class);
    private static final int CHUNK = 8 * 1024;

    private final BoundedBody bodies;
    private final BodiesOnTheirWay onTheirWay;
    private final Answers answers;

    /**
     * A filter of these bodies.
     *
     * @param onTheirWay bounds them
     */
    public BodyArrivalFilter(BoundedBody bodies, BodiesOnTheirWay onTheirWay, Answers answers) {
        this.bodies = bodies;
        this.onTheirWay = onTheirWay;
        this.answers = answers;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getAttribute(CallerFilter.CALLER) == null
                || !BoundedBody.hasBody(request)
                || !request.isAsyncSupported();
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        ServletInputStream in = ofContainer(request);
        if (in == null || hasCome(request, in)) {
            chain.doFilter(request, response);
            return;
        }
        Caller caller = (Caller) request.getAttribute(CallerFilter.CALLER);
        try {
            onTheirWay.begin(caller);
        } catch (ProblemException refused) {
            answers.of(refused).writeTo(response);
            return;
        }
        boolean begun = false;
        try {
            AsyncContext context = request.startAsync(request, response);
            context.setTimeout(bodies.timeout().toMillis());
            Arrival arrival = new Arrival(caller, context, in);
            context.addListener(arrival);
            begun = true;
            in.setReadListener(arrival);
        } finally {
            if (!begun) {
                // nobody else will
                onTheirWay.end(caller, 0);
            }
        }
    }

    /** Most bodies come with their heads. */
    private static boolean hasCome(HttpServletRequest request, ServletInputStream in) throws IOException {
        long length = request.getContentLengthLong();
        return length >= 0 && in.available() >= length;
    }

    /** The container's own stream; null if a filter has read it, or gives another one. */
    private static @Nullable ServletInputStream ofContainer(HttpServletRequest request) throws IOException {
        ServletRequest innermost = request;
        while (innermost instanceof ServletRequestWrapper wrapper) {
            innermost = wrapper.getRequest();
        }
        try {
            ServletInputStream in = request.getInputStream();
            return in == innermost.getInputStream() && !in.isFinished() ? in : null;
        } catch (IllegalStateException e) {
            log.debug("A filter reads a body by a reader", e);
            return null;
        }
    }

    /** The container's own response: a filter that keeps answers would not write the answer to a request that ends here. */
    private static HttpServletResponse ofContainer(ServletResponse response) {
        ServletResponse innermost = response;
        while (innermost instanceof ServletResponseWrapper wrapper) {
            innermost = wrapper.getResponse();
        }
        return (HttpServletResponse) innermost;
    }

    /** A body on its way. The container makes one call at a time. */
    private final class Arrival implements ReadListener, AsyncListener {

        private final Caller caller;
        private final AsyncContext context;
        private final ServletInputStream in;
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private final AtomicBoolean ended = new AtomicBoolean();

        private Arrival(Caller caller, AsyncContext context, ServletInputStream in) {
            this.caller = caller;
            this.context = context;
            this.in = in;
        }

        @Override
        public void onDataAvailable() throws IOException {
            byte[] chunk = new byte[CHUNK];
            while (!ended.get() && in.isReady() && !in.isFinished()) {
                int read = in.read(chunk);
                if (read < 0) {
                    return;
                }
                try {
                    bodies.requireSize(body.size() + (long) read);
                    onTheirWay.add(read);
                } catch (ProblemException refused) {
                    refuse(refused);
                    return;
                }
                body.write(chunk, 0, read);
            }
        }

        @Override
        public void onAllDataRead() {
            if (end()) {
                BoundedBody.put(context.getRequest(), body.toByteArray());
                context.dispatch();
            }
        }

        @Override
        public void onError(Throwable failure) {
            log.debug("A client went away before its body had come", failure);
            if (end()) {
                context.complete();
            }
        }

        @Override
        public void onTimeout(AsyncEvent event) throws IOException {
            refuse(bodies.tooSlow());
        }

        private void refuse(ProblemException problem) throws IOException {
            if (end()) {
                HttpServletResponse response = ofContainer(context.getResponse());
                // the rest of the body is not read
                response.setHeader(HttpHeaders.CONNECTION, "close");
                try {
                    answers.of(problem).writeTo(response);
                } finally {
                    context.complete();
                }
            }
        }

        private boolean end() {
            boolean first = ended.compareAndSet(false, true);
            if (first) {
                onTheirWay.end(caller, body.size());
            }
            return first;
        }

        @Override
        public void onError(AsyncEvent event) {
            onError(event.getThrowable());
        }

        @Override
        public void onComplete(AsyncEvent event) {
            end();
        }

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }
}
