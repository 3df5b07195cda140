package io.delayqueue.gateway.http;

import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Answers requests for stories and restores with 404, in applications without a journal. */
@RestController
@RequestMapping("${delayqueue.gateway.path:/delayqueue/v1}/topics/{topic}")
public final class NoJournalController {

    @GetMapping({"/messages/{id}/story", "/story"})
    ResponseEntity<byte[]> story() {
        throw noJournal();
    }

    @PostMapping({"/messages/{id}/restore", "/restore"})
    ResponseEntity<byte[]> restore() {
        throw noJournal();
    }

    private static ProblemException noJournal() {
        return new ProblemException(ProblemType.NO_JOURNAL, "this needs the module delayqueue-jdbc and a database");
    }
}
