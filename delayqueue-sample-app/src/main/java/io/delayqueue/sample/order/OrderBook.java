package io.delayqueue.sample.order;

import io.delayqueue.sample.order.Order.State;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** The orders and the stock, in the database. An open order reserves an article. */
@Component
class OrderBook {

    private final JdbcClient database;

    OrderBook(JdbcClient database) {
        this.database = database;
    }

    @Transactional
    void add(Order order) {
        database.sql("insert into orders values (?, ?, ?, ?, ?, ?, null)")
                .params(
                        order.id(),
                        order.customer(),
                        order.amount(),
                        order.state().name())
                .params(inDatabase(order.placedAt()), inDatabase(order.closesAt()))
                .update();
        database.sql("update stock set reserved = reserved + 1").update();
    }

    @Transactional
    void remove(String id) {
        database.sql("delete from orders where id = ?").param(id).update();
        database.sql("update stock set reserved = reserved - 1").update();
    }

    Optional<Order> find(String id) {
        return database.sql("select * from orders where id = ?")
                .param(id)
                .query(OrderBook::order)
                .optional();
    }

    List<Order> all() {
        return database.sql("select * from orders order by placed_at, id")
                .query(OrderBook::order)
                .list();
    }

    Stock stock() {
        return database.sql("select * from stock").query(Stock.class).single();
    }

    /**
     * Pays or closes an order that is still open; empty if there is no such order. Paying and closing race here, and only
     * here: the first one wins. Joins the transaction of its caller.
     */
    @Transactional
    Optional<Ending> end(String id, State end, Instant at) {
        boolean won = database.sql("update orders set state = ?, ended_at = ? where id = ? and state = 'PLACED'")
                        .params(end.name(), inDatabase(at), id)
                        .update()
                == 1;
        if (won) {
            database.sql("update stock set reserved = reserved - 1, sold = sold + ?")
                    .param(end == State.PAID ? 1 : 0)
                    .update();
        }
        return find(id).map(order -> new Ending(order, won));
    }

    private static Order order(ResultSet row, int number) throws SQLException {
        return new Order(
                row.getString("id"),
                row.getString("customer"),
                row.getBigDecimal("amount"),
                State.valueOf(row.getString("state")),
                instant(row, "placed_at"),
                instant(row, "closes_at"),
                row.getObject("ended_at") == null ? null : instant(row, "ended_at"));
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    private static OffsetDateTime inDatabase(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    /**
     * The result of an attempt to pay or close an order.
     *
     * @param order its present state
     * @param won whether this attempt ended it; if not, an earlier one did
     */
    record Ending(Order order, boolean won) {}

    /**
     * The articles.
     *
     * @param reserved one for each open order
     * @param sold one for each paid order
     */
    record Stock(int reserved, int sold) {}
}
