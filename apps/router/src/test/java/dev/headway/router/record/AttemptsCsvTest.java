package dev.headway.router.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.toolbox.csv.CsvReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of attempts, byte for byte. */
class AttemptsCsvTest {

  private static final String HEADER =
      "request_id,attempt,worker,url,policy,branch,candidates,load,min_load,max_load,prompt_units,"
          + "matched_units,signal_age_ns,pick_cost_ns,router_recv_ns,router_pick_ns,to_server_ns,"
          + "head_ns,first_byte_ns,end_ns,status,outcome,reason,bytes,scores,refusals";

  @TempDir private Path folder;

  private Path written(Attempt... attempts) throws IOException {
    final Path file = folder.resolve("router_attempts.csv");
    try (AttemptFile csv = AttemptsCsv.create(file)) {
      List.of(attempts).forEach(csv::onAttempt);
      assertThat(csv.dropped()).isZero();
    }
    return file;
  }

  @Test
  void shouldWriteARowForEachAttempt() throws IOException {
    final Path file =
        written(
            SampleAttempts.completed("r1", 1),
            SampleAttempts.failed("r2", "cannot connect"),
            SampleAttempts.noWorker("r3"));

    assertThat(file)
        .hasContent(
            HEADER
                + "\nr1,1,b,http://b:8000,cache-aware,cache_hit,2,0,0,0,40,32,700,250,1000,1600,"
                + "1700,2000,2500,9000,200,completed,,4321,"
                + "saved*2.0:a=0.0;b=32.0 pending*1.0:a=-1.5;b=-4.0,c=circuit breaker open"
                + "\nr2,0,b,http://b:8000,cache-aware,cache_hit,2,0,0,0,40,32,700,250,1000,1600,"
                + ",,,3000,,failed,cannot connect,0,"
                + "saved*2.0:a=0.0;b=32.0 pending*1.0:a=-1.5;b=-4.0,c=circuit breaker open"
                + "\nr3,0,,,cache-aware,no_healthy,0,,0,0,40,,,250,1000,,"
                + ",,,1900,,no_worker,no worker can take the request,0,,"
                + "a=not healthy yet;b=unhealthy: answered 500;c=circuit breaker open\n");
    assertThat(Files.readString(file)).doesNotContain("\r").endsWith("\n");
  }

  @Test
  void shouldEscapeWhatClientsAndWorkersSay() throws IOException {
    final String id = "a,\"b\"\nc";
    final String reason = "said \"no\", twice\r\nand left";

    final Path file = written(SampleAttempts.failed(id, reason));

    assertThat(CsvReader.columns(file)).containsExactly(HEADER.split(","));
    final List<Map<String, String>> records = CsvReader.rows(file);
    assertThat(records).hasSize(1);
    assertThat(records.getFirst().get("request_id")).isEqualTo(id);
    assertThat(records.getFirst().get("reason")).isEqualTo(reason);
    assertThat(records.getFirst().get("outcome")).isEqualTo("failed");
  }

  @Test
  void shouldWriteTheHeaderWithoutAttempts() throws IOException {
    assertThat(written()).hasContent(HEADER + "\n");
  }

  @Test
  void shouldSayAtOnceThatAFileCannotBeWritten() {
    final Path file = folder.resolve("nowhere").resolve("router_attempts.csv");

    assertThatThrownBy(() -> AttemptsCsv.create(file)).isInstanceOf(NoSuchFileException.class);
  }
}
