package io.delayqueue.docs.tour;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** An application of the first lines of the README. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({InShort.class, OrderBook.class})
class ShopInShort {}
