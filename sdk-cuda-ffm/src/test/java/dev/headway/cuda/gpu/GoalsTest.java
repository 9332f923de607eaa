package dev.headway.cuda.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables by hand, as the stages and PyTorch's script write them. */
class GoalsTest {
  @TempDir Path folder;

  @Test
  void shouldSayWhatIsMetAndWhatNot() throws IOException {
    final List<String> goals =
        goals(
            """
            decode forward,8B batch 1,4500,us
            decode forward,8B batch 8,5300,us
            prefill,8B 1x8000,42000,tokens/s
            decode host,8B batch 64,100,us
            rms_norm,65535x4096,1100,GB/s
            start with machine code,8B,0,
            start without recordings,8B,0,batch sizes
            attention decode,batch 40 one context of 8000,3300,GB/s
            """,
            "decode forward,8B batch 8,6328,us\n");

    assertThat(goals)
        .contains(
            "decode forward,8B batch 1,4500,<= 4600,us,met,,",
            "decode forward,8B batch 8,5300,<= 5200,us,not met,6328,",
            "decode forward,8B batch 16,,<= 5400,us,not measured,,",
            "prefill,8B 1x8000,42000,>= 42000,tokens/s,met,,",
            "decode host,8B batch 64,100.0,<= 100.0,us,met,,",
            "rms_norm,65535x4096,1100,>= 3400,GB/s,not met,,",
            "start with machine code,8B,0.000,>= 1.000,,not met,,",
            "start without recordings,8B,0.000,<= 0.000,batch sizes,met,,",
            "attention decode,batch 40 one context of 8000,3300,>= 3200,GB/s,met,,");
  }

  /** 7,000 tokens of 131,072 bytes more are 0.2 ms at 4 TB/s. */
  @Test
  void shouldChargeALongContextItsBytes() throws IOException {
    final String rates =
        """
        copy,2147483648 bytes,4000,GB/s
        mixed more bytes,8B batch 40,800000000,bytes
        mixed beside uniform,8B batch 40,5800,us
        mixed forward,8B batch 40,6900,us
        mixed more bytes,8B batch 128,800000000,bytes
        mixed beside uniform,8B batch 128,9800,us
        mixed forward,8B batch 128,12000,us
        """;

    assertThat(goals(rates, ""))
        .filteredOn(line -> line.startsWith("one context"))
        .containsExactly(
            "one context of 8000 among short ones,8B batch 40,1.150,<= 1.150,of uniform and"
                + " bytes,met,,",
            "one context of 8000 among short ones,8B batch 128,1.200,<= 1.150,of uniform and"
                + " bytes,not met,,",
            "one context of 8000 among short ones,8B batch 256,,<= 1.150,of uniform and bytes,not"
                + " measured,,");
  }

  /** An H100 copies seven tenths of what an H200 does, and its memory holds less than the goal. */
  @Test
  void shouldScaleGoalsOfBytesByTheCopyRate() throws IOException {
    final List<String> goals =
        goals(
            """
            copy,2147483648 bytes,2975,GB/s
            rms_norm,65535x4096,2500,GB/s
            decode forward,8B batch 64,11000,us
            attention prefill,8192 tokens,310,TFLOP/s
            """,
            "");

    assertThat(goals)
        .contains(
            "rms_norm,65535x4096,2500,>= 3400,GB/s,not met,,>= 2380",
            "decode forward,8B batch 64,11000,<= 7900,us,not met,,<= 11286",
            "attention decode,batch 32 context 1024,,>= 3200,GB/s,not measured,,>= 2240",
            "attention prefill,8192 tokens,310.0,>= 300.0,TFLOP/s,met,,",
            "# targets are of an H200; scaled: by the copy rate, 2975 GB/s here and 4250 there");
  }

  /** Every goal that PyTorch can have a figure for finds one. */
  @Test
  void shouldHavePromptsOfPyTorchLikeItsOwn() throws IOException {
    final String script = Files.readString(Path.of("../scripts/gpu-check-torch.py"));

    assertThat(script)
        .contains(
            "PROMPTS = [" + prompts(Scale.TINY) + "] if TINY else [" + prompts(Scale.FULL) + "]\n");
  }

  private static String prompts(Scale scale) {
    return Stream.of(scale.prompts())
        .map(prompt -> "(" + prompt[0] + ", " + prompt[1] + ")")
        .collect(Collectors.joining(", "));
  }

  @Test
  void shouldTakeTheWorstLogitsOfAFilter() throws IOException {
    final String rates =
        """
        sampling top-p,normal rows 64,120,us
        sampling top-p,all equal rows 64,160,us
        sampling top-p,all equal rows 256,390,us
        """;

    assertThat(goals(rates, ""))
        .contains(
            "sampling top-p,any logits rows 64,160.0,<= 150.0,us,not met,,",
            "sampling top-p,any logits rows 256,390.0,<= 400.0,us,met,,",
            "sampling top-p,any logits rows 1,,<= 150.0,us,not measured,,");
  }

  @Test
  void shouldHoldOwnProductsAgainstTheLibraryAndARate() throws IOException {
    final String rates =
        """
        product own,8x6144x4096,20,us
        product cuBLASLt,8x6144x4096,16,us
        product own,16x6144x4096,20,us
        product own,2048x4096x4096,200,us
        """;

    assertThat(goals(rates, ""))
        .contains(
            "product own / cuBLASLt,8x6144x4096,1.250,<= 1.350,of its time,met,,",
            "product own / cuBLASLt,16x6144x4096,,<= 1.350,of its time,not measured,,",
            "product own,2048x4096x4096,343.6,>= 350.0,TFLOP/s,not met,,");
  }

  @Test
  void shouldCountWhatHasNoFigureAsNotMeasured() throws IOException {
    final List<String> goals = goals("", "");

    assertThat(goals.subList(1, goals.size() - 1))
        .allMatch(line -> line.contains(",not measured,,"));
    assertThat(goals.getLast()).matches("# (\\d+) goals: 0 met, 0 not met, \\1 not measured");
  }

  private List<String> goals(String rates, String torch) throws IOException {
    final String header = RateTable.HEADER + "\n";
    final Path own = Files.writeString(folder.resolve("steps.csv"), header + rates);
    final Path theirs = Files.writeString(folder.resolve("torch.csv"), header + torch);
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new Goals(
            Rates.read(List.of(own, folder.resolve("absent.csv"))),
            Rates.read(List.of(theirs)),
            Scale.FULL,
            new PrintStream(bytes, true, StandardCharsets.UTF_8))
        .print();
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
