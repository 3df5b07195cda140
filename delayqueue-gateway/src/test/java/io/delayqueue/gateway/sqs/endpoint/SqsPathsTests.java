package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** Which requests are those of SQS clients, and what the URLs of queues are. */
class SqsPathsTests {

    private static final String FORM = "application/x-www-form-urlencoded; charset=utf-8";

    private final SqsPaths paths = new SqsPaths("", null);

    private static MockHttpServletRequest post(String path) {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", path);
        request.addHeader("Host", "queues.example.com:9324");
        return request;
    }

    private static MockHttpServletRequest form(String path) {
        MockHttpServletRequest request = post(path);
        request.setContentType(FORM);
        return request;
    }

    @ParameterizedTest
    @CsvSource({
        "/, true",
        "/000000000000/orders, true",
        "/123456789012/orders, true",
        "/000000000000/orders/, true",
        "/orders, false",
        "/000000000000/orders/more, false",
        "/delayqueue/v1/topics, false"
    })
    void formsAtTheRootAndAtQueues(String path, boolean match) {
        assertThat(paths.match(form(path))).isEqualTo(match);
    }

    @Test
    void otherRequestsGoOn() {
        MockHttpServletRequest json = post("/");
        json.setContentType("application/json");
        assertThat(paths.match(json)).isFalse();
        json.addHeader("X-Amz-Target", "DynamoDB_20120810.GetItem");
        assertThat(paths.match(json)).isFalse();
        assertThat(paths.match(new MockHttpServletRequest("GET", "/"))).isFalse();
        MockHttpServletRequest target = post("/");
        target.addHeader("X-Amz-Target", "AmazonSQS.ListQueues");
        assertThat(paths.match(target)).isTrue();
        MockHttpServletRequest atQueue = post("/000000000000/orders");
        atQueue.addHeader("X-Amz-Target", "AmazonSQS.SendMessage");
        assertThat(paths.match(atQueue)).isTrue();
        assertThat(paths.queue(atQueue)).isEqualTo("orders");
        MockHttpServletRequest get = new MockHttpServletRequest("GET", "/");
        get.setQueryString("Version=2012-11-05&Action=ListQueues");
        assertThat(paths.match(get)).isTrue();
    }

    @Test
    void pathOfAQueueNamesIt() {
        assertThat(paths.queue(form("/000000000000/orders/"))).isEqualTo("orders");
        assertThat(paths.queue(form("/"))).isNull();
    }

    @Test
    void urlsFollowTheHost() {
        assertThat(paths.queues(post("/"))).isEqualTo("http://queues.example.com:9324/000000000000/");
    }

    @Test
    void urlsAndPathCanBeSet() {
        SqsPaths others = new SqsPaths("/sqs/", "https://sqs.example.com");
        assertThat(others.queues(post("/sqs"))).isEqualTo("https://sqs.example.com/sqs/000000000000/");
        assertThat(others.match(form("/sqs"))).isTrue();
        assertThat(others.match(form("/sqs/000000000000/orders"))).isTrue();
        assertThat(others.match(form("/"))).isFalse();
        assertThat(others.match(form("/sqsx"))).isFalse();
    }
}
