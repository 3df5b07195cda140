package io.delayqueue.docs.tour;

import java.time.Duration;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

// tag::application[]
@SpringBootApplication
class Shop {

    public static void main(String[] args) {
        SpringApplication.run(Shop.class, args);
    }

    @Bean
    ApplicationRunner placeTwoOrders(Orders orders) {
        return arguments -> {
            orders.place("ann", Duration.ofSeconds(5));
            orders.place("bob", Duration.ofSeconds(5));
            System.out.println("ann pays: " + orders.pay("ann"));
        };
    }
}
// end::application[]
