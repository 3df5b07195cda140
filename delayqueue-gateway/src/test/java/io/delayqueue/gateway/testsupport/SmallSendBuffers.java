package io.delayqueue.gateway.testsupport;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.tomcat.TomcatConnectorCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application whose system takes 32 KiB of an answer that its client does not read, instead of some megabytes. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class SmallSendBuffers {

    @Bean
    TomcatConnectorCustomizer smallSendBuffer() {
        return connector -> connector.setProperty("socket.txBufSize", "32768");
    }
}
