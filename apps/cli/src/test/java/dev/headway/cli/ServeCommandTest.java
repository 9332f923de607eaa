package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that cannot start says why in a line; one that starts would wait for a signal. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServeCommandTest {

  private static final Path STORIES =
      Path.of(
          "..", "..", "sdk-executor-host", "src", "test", "resources", "models", "stories260K-hf");

  /** Here may be a device. The driver is looked for once, whichever test is the first. */
  @BeforeAll
  static void hideDevices() {
    System.setProperty("headway.cuda.library", "no-such-library.so");
  }

  @ParameterizedTest
  @CsvSource({
    "--max-num-seqs=0, --max-num-seqs must be >= 1",
    "--max-model-len=4096, --max-model-len must be <= the model's",
    "--num-blocks=1, --num-blocks must be >= 2",
    "--port=70000, --port must be in",
    "--write-timeout=0, --write-timeout must be in",
    "--policy=nonsense, nonsense",
    "--probe=nonsense, nonsense",
    "--num-host-blocks=-1, --num-host-blocks must be >= 0",
    "--threads=0, --threads must be >= 1",
    "--max-num-batched-tokens=1, --max-num-batched-tokens must be >= --max-num-seqs",
    "--max-model-len=0, --max-model-len must be >= 2",
    "--executor=gpu, --executor",
    "--latency=1;2;3;4, --latency needs --executor simulated",
    "--gpu-memory-utilization=2, --gpu-memory-utilization must be > 0 and <= 1",
    "--block-size=0, --block-size must be >= 1: --block-size=0",
    "--cors=http://localhost:3000/, --cors must be * or an origin",
    "--cors=localhost, --cors must be * or an origin",
    "--allowed-origins=[1], --cors must be a JSON array of strings",
    "--allowed-origins=[, --cors must be a JSON array of strings",
    "--allowed-methods=GET, --allowed-methods needs --cors",
    "--ssl-certfile=a.pem, --ssl-certfile needs --ssl-keyfile",
    "--ssl-keyfile=a.pem, --ssl-keyfile needs --ssl-certfile",
    "--chat-template=vicuna, --chat-template must be a file or one of plain",
    "--lora-modules=poet, --lora-modules must be NAME=FOLDER: --lora-modules=poet",
    "--lora-modules==a, --lora-modules must be NAME=FOLDER: --lora-modules==a",
    "--max-loras=1, --max-loras needs --lora-modules",
    "--kv-cache-dtype=fp4, --kv-cache-dtype",
    "--kv-cache-dtype=fp8, --kv-cache-dtype needs a device",
    "--precision=float32, --precision",
    "--precision=quantized, --precision needs a device"
  })
  void shouldNameTheOptionThatIsWrong(String option, String words) {
    final CliRun run = CliRun.of("serve", option);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("headway serve: ").contains(words).hasLineCount(1);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void shouldRefuseTwoAdaptersOfAName() {
    final CliRun run = CliRun.of("serve", "--lora-modules", "poet=a", "critic=b", "poet=c");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .contains("--lora-modules must name each adapter once: --lora-modules=poet=c");
  }

  @ParameterizedTest
  @CsvSource({
    "--allowed-headers=a b, --allowed-headers must be * or a name without blanks and commas",
    "--allow-credentials, --cors must name origins where there is --allow-credentials"
  })
  void shouldNameWhatAnyPageCannotHave(String option, String words) {
    final CliRun run = CliRun.of("serve", "--cors=*", option);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("headway serve: ").contains(words).hasLineCount(1);
  }

  @Test
  void shouldSayWhatAModelFolderLacks(@TempDir Path folder) throws IOException {
    final CliRun empty = CliRun.of("serve", "--model", folder.toString());
    Files.writeString(folder.resolve("config.json"), "{\"architectures\":[\"GPT2LMHeadModel\"]}");
    final CliRun foreign = CliRun.of("serve", "--model", folder.toString());

    assertThat(empty.exitCode()).isEqualTo(1);
    assertThat(empty.err()).contains("config.json").hasLineCount(1);
    assertThat(foreign.exitCode()).isEqualTo(1);
    assertThat(foreign.err()).contains("GPT2LMHeadModel").hasLineCount(1);
  }

  @Test
  void shouldMakeWeightsUpOnlyWhereThereAreNone(@TempDir Path folder) throws IOException {
    final CliRun weights = CliRun.of("serve", "--model", STORIES, "--random-weights", "7");
    final CliRun noModel = CliRun.of("serve", "--random-weights", "7");
    final CliRun simulated =
        CliRun.of("serve", "--model", STORIES, "--random-weights", "7", "--executor", "simulated");
    Files.writeString(
        folder.resolve("config.json"),
        Files.readString(STORIES.resolve("config.json"))
            .replace("\"vocab_size\": 512", "\"vocab_size\": 256"));
    final CliRun noBytes = CliRun.of("serve", "--model", folder, "--random-weights", "7");

    assertThat(List.of(weights.exitCode(), noModel.exitCode(), noBytes.exitCode())).containsOnly(2);
    assertThat(weights.err())
        .startsWith(
            "headway serve: --random-weights must be of a folder without weights: leave it out, or"
                + " copy config.json and tokenizer.json into another folder: --model="
                + STORIES);
    assertThat(noModel.err()).contains("--random-weights needs --model");
    assertThat(simulated.exitCode()).isEqualTo(2);
    assertThat(simulated.err()).contains("--random-weights needs --executor");
    assertThat(noBytes.err())
        .startsWith(
            "headway serve: vocab_size of config.json must be >= 257 where there is no"
                + " tokenizer.json, so that texts can be bytes: vocab_size=256, --model="
                + folder);
  }

  @Test
  void shouldSayThatAModelIsNoFolder(@TempDir Path folder) throws IOException {
    final Path file = Files.writeString(folder.resolve("README.md"), "not a model");
    final Path nowhere = folder.resolve("nowhere");

    final CliRun missing = CliRun.of("serve", "--model", nowhere);
    final CliRun noFolder = CliRun.of("serve", "--model", file);

    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.err())
        .isEqualToIgnoringNewLines(
            "headway serve: --model must be a folder or a .gguf file that exists: --model="
                + nowhere);
    assertThat(noFolder.exitCode()).isEqualTo(1);
    assertThat(noFolder.err())
        .isEqualToIgnoringNewLines(
            "headway serve: --model must be a folder or a .gguf file: --model=" + file);
  }

  @Test
  void shouldWantTheTokenizerBesideAGgufFile() {
    final Path file =
        Path.of("..", "..", "sdk-executor-host/src/test/resources/fuzz/GgufFuzzTest/qwen3.gguf");

    final CliRun run = CliRun.of("serve", "--model", file);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualToIgnoringNewLines(
            "headway serve: the model's tokenizer.json must lie beside its .gguf file, whose"
                + " vocabulary is not read: model="
                + file);
  }

  @Test
  void shouldNotBlameTheCommandLineForAModelThatIsRefused(@TempDir Path folder) throws IOException {
    for (String name : List.of("config.json", "tokenizer.json", "model.safetensors")) {
      Files.copy(STORIES.resolve(name), folder.resolve(name));
    }
    try (RandomAccessFile weights =
        new RandomAccessFile(folder.resolve("model.safetensors").toFile(), "rw")) {
      weights.seek(weights.length() - 512); // in the last matrix, before the last norm
      weights.writeInt(-1); // NaN
    }

    final CliRun run = CliRun.of("serve", "--executor", "vector", "--model", folder);

    assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
    assertThat(run.err()).contains("must be finite", "tensor=").doesNotContain("--help");
    assertThat(run.err()).hasLineCount(1);
  }

  @Test
  void shouldLeaveNoRunBehindWhenAProbeCannotBeMade(@TempDir Path folder) {
    final Path journal = folder.resolve("journal");
    final Path csv = folder.resolve("csv");

    final CliRun run =
        CliRun.of("serve", "--journal", journal, "--probe", "csv(dir=" + csv + ")+otlp(x=1)");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("probe 'otlp' refuses its options").hasLineCount(1);
    assertThat(journal).isEmptyDirectory();
    assertThat(csv).isEmptyDirectory();
  }

  @Test
  void shouldSayWhyAProbeCannotBeMade(@TempDir Path folder) throws IOException {
    final Path file = Files.writeString(folder.resolve("file"), "in the way");

    final CliRun run = CliRun.of("serve", "--probe", "csv(dir=" + file + ")");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith("headway serve: probe 'csv' could not be made: ")
        .contains(file.toString())
        .hasLineCount(1);
  }

  @Test
  void shouldSayWhyATemplateCannotBeRun(@TempDir Path folder) throws IOException {
    final Path file = Files.writeString(folder.resolve("a.jinja"), "a\n{{ messages | sing }}");
    final CliRun chosen = CliRun.of("serve", "--chat-template", file);
    Files.move(file, folder.resolve("chat_template.jinja"));
    final CliRun own = CliRun.of("serve", "--model", folder);

    final String reason = ", line=2: Unknown ArrayValue filter: sing";
    assertThat(chosen.exitCode()).isEqualTo(1);
    assertThat(chosen.err())
        .startsWith("headway serve: the chat template must be one that can be run: file=" + file)
        .contains(reason)
        .hasLineCount(1);
    assertThat(own.exitCode()).isEqualTo(1);
    assertThat(own.err())
        .contains(reason + "; --chat-template takes another: a file, or one of plain, chatml")
        .hasLineCount(1);
  }

  @Test
  void shouldSayWhyThereIsNoDevice() {
    final CliRun run = CliRun.of("serve", "--executor", "cuda");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith("headway serve: CUDA is not available: cannot load no-such-library.so")
        .hasLineCount(1);
  }

  @Test
  void shouldSayThatAnAddressIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      final CliRun run = CliRun.of("serve", "--port", Integer.toString(taken.getLocalPort()));

      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err()).contains("the address must be free").hasLineCount(1);
    }
  }
}
