package dev.headway.router.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** Workers as files and requests describe them. */
class WorkerJsonTest {

  @TempDir private Path folder;

  private static WorkerEntry read(String json) {
    return WorkerJson.read(JsonMapper.shared().readTree(json));
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("workers"), text);
  }

  @Test
  void shouldReadEverythingThatIsSaid() {
    final WorkerEntry worker =
        read(
            """
            {"url": "http://10.0.0.1:8000", "id": "a", "model_id": "m", "priority": 70,
             "cost": 2.5, "labels": {"zone": "x", "rack": 4}, "comment": "unknown"}
            """);

    assertThat(worker.id()).isEqualTo("a");
    assertThat(worker.url()).isEqualTo(URI.create("http://10.0.0.1:8000"));
    assertThat(worker.model()).isEqualTo("m");
    assertThat(worker.priority()).isEqualTo(70);
    assertThat(worker.cost()).isEqualTo(2.5);
    assertThat(worker.labels()).isEqualTo(Map.of("zone", "x", "rack", "4"));
  }

  @Test
  void shouldNeedTheAddressOnly() {
    final WorkerEntry worker =
        read("{\"url\": \"10.0.0.1:8000\", \"id\": \" \", \"model_id\": \"\"}");

    assertThat(worker.id()).isEqualTo("10.0.0.1:8000");
    assertThat(worker.url()).isEqualTo(URI.create("http://10.0.0.1:8000"));
    assertThat(worker.model()).isNull();
    assertThat(worker.priority()).isEqualTo(50);
    assertThat(worker.cost()).isEqualTo(1.0);
    assertThat(worker.labels()).isEmpty();
  }

  /** A typing error must not become the usual value. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | a worker must have its address, as {\"url\": \"http://HOST:PORT\"}: worker={}",
        "{\"url\":7} | a worker must have its address, as {\"url\": \"http://HOST:PORT\"}:"
            + " worker={\"url\":7}",
        "\"http://a:1\" | a worker must have its address, as {\"url\": \"http://HOST:PORT\"}:"
            + " worker=\"http://a:1\"",
        "{\"url\":\"http://a:1/v1\"} | a worker's address must be http://HOST:PORT without a path:"
            + " url=http://a:1/v1",
        "{\"url\":\"https://a:1\"} | a worker's address must be http://HOST:PORT without a path:"
            + " url=https://a:1",
        "{\"url\":\"http://a b\"} | a worker's address must be http://HOST:PORT without a path:"
            + " url=http://a b",
        "{\"url\":\"http://a:1\",\"id\":7} | id of a worker must be a text: id=7,"
            + " url=http://a:1",
        "{\"url\":\"http://a:1\",\"model_id\":[]} | model_id of a worker must be a text:"
            + " model_id=[], url=http://a:1",
        "{\"url\":\"http://a:1\",\"priority\":\"high\"} | priority of a worker must be a whole"
            + " number: priority=\"high\", url=http://a:1",
        "{\"url\":\"http://a:1\",\"priority\":1.5} | priority of a worker must be a whole number:"
            + " priority=1.5, url=http://a:1",
        "{\"url\":\"http://a:1\",\"cost\":\"2\"} | cost of a worker must be a number: cost=\"2\","
            + " url=http://a:1",
        "{\"url\":\"http://a:1\",\"labels\":[1]} | labels of a worker must be an object:"
            + " labels=[1], url=http://a:1"
      })
  void shouldSayWhatIsWrong(String json, String message) {
    assertThatThrownBy(() -> read(json))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void shouldReadAFileOfAddresses() throws IOException {
    final Path file = file("# ours\n\n http://a:8000 \nb:8001\r\n#c:8002\n");

    assertThat(WorkerJson.readFile(file))
        .extracting(WorkerEntry::id)
        .containsExactly("a:8000", "b:8001");
  }

  @Test
  void shouldReadAFileInJson() throws IOException {
    final Path file =
        file("\n [{\"url\":\"http://a:8000\"},\n  {\"url\":\"http://b:8000\",\"id\":\"b\"}]\n");

    assertThat(WorkerJson.readFile(file))
        .extracting(WorkerEntry::id)
        .containsExactly("a:8000", "b");
  }

  @Test
  void shouldNameTheFileThatIsNoJson() throws IOException {
    final Path file = file("[{\"url\":\"http://a:8000\"},");

    assertThatThrownBy(() -> WorkerJson.readFile(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "a file of workers must be a list in JSON or an address in each line: file=" + file)
        .hasMessageContaining("end-of-input");
  }

  @Test
  void shouldNameTheLineThatIsNoAddress() throws IOException {
    final Path file = file("http://a:8000\nftp://b:8000\n");

    assertThatThrownBy(() -> WorkerJson.readFile(file))
        .hasMessage("a worker's address must be http://HOST:PORT without a path: url=ftp://b:8000");
  }
}
