package dev.headway.router.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of candidates, byte for byte. */
class CandidatesCsvTest {

  private static final String HEADER =
      "request_id,attempt,at_ns,policy,policy_branch,candidates,worker_id,chosen,refusal,load,"
          + "signal_age_ns,prompt_units,matched_units,scores,total,pick_cost_ns\n";

  @TempDir private Path folder;

  private Path written(Attempt... attempts) throws IOException {
    final Path file = folder.resolve("router_decisions.csv");
    try (AttemptFile csv = CandidatesCsv.create(file)) {
      List.of(attempts).forEach(csv::onAttempt);
      assertThat(csv.dropped()).isZero();
    }
    return file;
  }

  @Test
  void shouldWriteARowForEachWorkerWithItsScoresOrWhyItWasRefused() throws IOException {
    final Path file = written(SampleAttempts.completed("r1", 1));

    assertThat(file)
        .hasContent(
            HEADER
                + "r1,1,1000,cache-aware,cache_hit,2,a,0,,0,,40,0,saved=0;pending=-1.5,-1.5,250\n"
                + "r1,1,1000,cache-aware,cache_hit,2,b,1,,0,700,40,32,saved=32;pending=-4,60,250\n"
                + "r1,1,1000,cache-aware,cache_hit,2,c,0,circuit breaker open,0,,40,0,"
                + "saved=;pending=,,250\n");
  }

  @Test
  void shouldChooseNoneWhereAllAreRefused() throws IOException {
    final Path file = written(SampleAttempts.noWorker("r2"));

    assertThat(file)
        .hasContent(
            HEADER
                + "r2,0,1000,cache-aware,no_healthy,0,a,0,not healthy yet,0,,40,0,,0,250\n"
                + "r2,0,1000,cache-aware,no_healthy,0,b,0,unhealthy: answered 500,0,700,40,0,,0,250\n"
                + "r2,0,1000,cache-aware,no_healthy,0,c,0,circuit breaker open,0,,40,0,,0,250\n");
  }

  @Test
  void shouldSayAtOnceThatAFileCannotBeWritten() {
    final Path file = folder.resolve("nowhere").resolve("router_decisions.csv");

    assertThatThrownBy(() -> CandidatesCsv.create(file)).isInstanceOf(NoSuchFileException.class);
  }
}
