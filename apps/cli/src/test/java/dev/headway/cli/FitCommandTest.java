package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Observe, fit, replay: a recorded run comes out of its fitted model again. */
class FitCommandTest {

  private static final String CONFIG =
      """
      {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "torch_dtype": "bfloat16",
        "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256
      }
      """;

  @TempDir private Path dir;
  private Path config;
  private Path trace;

  @BeforeEach
  void writeModelAndTrace() throws IOException {
    config = Files.writeString(dir.resolve("config.json"), CONFIG);
    final Random random = new Random(7);
    final StringBuilder rows =
        new StringBuilder("arrival_ns,input_tokens,output_tokens,request_id\n");
    long arrivalNs = 0;
    for (int i = 0; i < 150; i++) {
      arrivalNs += random.nextInt(160_000_000);
      rows.append(arrivalNs).append(',').append(1 + random.nextInt(2_000)).append(',');
      rows.append(1 + random.nextInt(120)).append(",r").append(i).append('\n');
    }
    trace = Files.writeString(dir.resolve("trace.csv"), rows);
  }

  private CliRun replay(Path out, Object... options) {
    final List<Object> all =
        new ArrayList<>(List.of("replay", trace, "--model", config, "-o", out));
    all.addAll(List.of(options));
    return CliRun.of(all.toArray());
  }

  @Test
  void shouldSimulateWhatItWasFittedOn() throws IOException {
    final CliRun recorded =
        replay(dir.resolve("run"), "--host-us", "1700", "--host-us-per-request", "50");
    assertThat(recorded.exitCode()).as(recorded.err()).isZero();
    final Path rows = dir.resolve("training");
    assertThat(CliRun.of("training", dir.resolve("run/journal"), "-o", rows).exitCode()).isZero();

    final Path model = dir.resolve("model.json");
    final CliRun fit = CliRun.of("fit", rows, "--model", config, "-o", model);

    assertThat(fit.exitCode()).as(fit.err()).isZero();
    assertThat(fit.out())
        .contains("left out: warm-up 10", "decode_attention", "held out", "wrote ");
    final JsonNode saved = JsonMapper.shared().readTree(Files.readString(model));
    assertThat(saved.path("held_out").path("mean_error").doubleValue()).isLessThan(0.02);
    assertThat(coefficient(saved.path("beta_forward"), "request"))
        .as("50 us per request, in ns")
        .isCloseTo(50_000, within(2_500.0));
    assertThat(1 / coefficient(saved.path("beta_forward"), "mat_muls"))
        .as("the share of the peak that the simulated device reaches")
        .isCloseTo(0.7, within(0.02));
    final CliRun again = replay(dir.resolve("again"), "--step-model", model);
    assertThat(again.exitCode()).as(again.err()).isZero();
    for (String latency : new String[] {"time to first token", "time per output", "end to end"}) {
      assertThat(meanOf(again, latency) / meanOf(recorded, latency))
          .as(latency)
          .isCloseTo(1, within(0.03));
    }
  }

  @Test
  void shouldLearnASimulatedLawFromStepsThatOverlap() throws IOException {
    final Path run = dir.resolve("run");
    final CliRun recorded = CliRun.of("replay", trace, "-o", run, "--async-scheduling");
    assertThat(recorded.exitCode()).as(recorded.err()).isZero();

    final Path model = dir.resolve("model.json");
    final CliRun fit = CliRun.of("fit", run.resolve("journal"), "--model", config, "-o", model);

    assertThat(fit.exitCode()).as(fit.err()).isZero();
    final JsonNode saved = JsonMapper.shared().readTree(Files.readString(model));
    assertThat(saved.path("held_out").path("mean_error").doubleValue()).isLessThan(0.01);
  }

  @Test
  void shouldKnowTheModelThatTheServerHasBuiltIn() {
    final Path journal = dir.resolve("run/journal");
    final Path model = dir.resolve("model.json");
    final CliRun replay =
        CliRun.of("replay", trace, "--model", "headway-random", "-o", dir.resolve("run"));
    assertThat(replay.exitCode()).isZero();
    assertThat(replay.out())
        .as("of the many that fit, few enough for a heap")
        .contains("of 2,097,151 blocks");

    final CliRun fit = CliRun.of("fit", journal, "-o", model);

    assertThat(fit.exitCode()).as(fit.err()).isZero();
    assertThat(fit.err())
        .contains(
            "headway fit: recorded with the server's built-in model: --model headway-random, here"
                + " and where the result is used");
    assertThat(
            CliRun.of(
                    "simulate",
                    journal,
                    "--model",
                    "headway-random",
                    "--step-model",
                    model,
                    "-o",
                    dir.resolve("sim"))
                .exitCode())
        .isZero();
  }

  @Test
  void shouldGoFromARecordingToACalibrationInFourCommands() throws IOException {
    final Path journal = dir.resolve("run/journal");
    final Path model = dir.resolve("model.json");

    final CliRun recorded = replay(dir.resolve("run"), "--max-num-seqs", "12");
    final CliRun fit = CliRun.of("fit", journal, "--model", config, "-o", model);
    final CliRun simulated =
        CliRun.of(
            "simulate",
            journal,
            "--model",
            config,
            "--step-model",
            model,
            "-o",
            dir.resolve("sim"));
    final CliRun calibrated = CliRun.of("calibrate", journal, dir.resolve("sim"), "--json");

    for (CliRun run : List.of(recorded, fit, simulated, calibrated)) {
      assertThat(run.exitCode()).as(run.err()).isZero();
    }
    assertThat(simulated.out()).contains("from the journal: max-num-seqs=12");
    for (String latency : new String[] {"time to first token", "end to end"}) {
      assertThat(meanOf(simulated, latency) / meanOf(recorded, latency))
          .as(latency)
          .isCloseTo(1, within(0.03));
    }
  }

  @Test
  void shouldSayWhatStepTimesAreWorthWhereTheyAreUsed() throws IOException {
    final Path model = dir.resolve("model.json");
    replay(dir.resolve("run"), "--host-us", "1700");
    CliRun.of("fit", dir.resolve("run/journal"), "--model", config, "-o", model);
    final String saved = Files.readString(model);
    final Path bad =
        Files.writeString(
            dir.resolve("bad.json"),
            saved.replaceFirst("(?s)(\"held_out\".*?\"mean_error\" : )[0-9.Ee-]+", "$11.088"));
    final String worth = " 108.8 % off on average on steps held out of the fit: not good enough";

    final CliRun good = replay(dir.resolve("good"), "--step-model", model);
    final CliRun replayed = replay(dir.resolve("bad"), "--step-model", bad);
    final CliRun peaks = replay(dir.resolve("peaks"));
    final CliRun hosted = replay(dir.resolve("hosted"), "--host-us", "1700");

    assertThat(good.out()).containsPattern("\n {16}[0-2]\\.\\d % off on average .*: excellent\n");
    assertThat(replayed.out()).contains("\n               " + worth + "\n");
    assertThat(peaks.out())
        .containsPattern("step times +junit\\S+ on 1 device, roofline of h100-sxm\n")
        .contains(
            "\n"
                + "                no host time (--host-us), so decode steps are up to a quarter"
                + " too fast\n");
    assertThat(hosted.out()).doesNotContain("quarter");
    for (String command :
        List.of(
            "compare short-long(requests=20,rate=5) --policy fcfs",
            "predict --input-tokens 100 --output-tokens 10",
            "simulate short-long(requests=20,rate=5) --instances 2 -o " + dir.resolve("fleet"),
            "plan short-long(requests=20,rate=5) --slo-ttft 500 --gpu h100-sxm")) {
      final List<Object> words = new ArrayList<>(List.of((Object[]) command.split(" ")));
      words.addAll(List.of("--model", config, "--step-model", bad));
      final CliRun run = CliRun.of(words.toArray());
      assertThat(run.out()).as(command + run.err()).contains(worth);
    }
  }

  @Test
  void shouldSayWhatItIsAskedToFitAsWhat() throws IOException {
    final Path other = Files.createDirectory(dir.resolve("other"));
    Files.copy(config, other.resolve("config.json"));
    assertThat(replay(dir.resolve("run")).exitCode()).isZero();
    final Path journal = dir.resolve("run/journal");
    final Path model = dir.resolve("model.json");

    final CliRun same = CliRun.of("fit", journal, "--model", config, "-o", model);
    final CliRun another =
        CliRun.of("fit", journal, "--model", other, "-o", dir.resolve("other.json"));
    final CliRun carried =
        replay(dir.resolve("carried"), "--step-model", model, "--gpu", "h200-sxm");

    assertThat(same.err()).doesNotContain("is fitted as");
    assertThat(same.out())
        .containsPattern(
            "steps that were left out are predicted [0-9.]+ % off on average: excellent")
        .contains("not shown: ");
    assertThat(another.err())
        .contains(
            " was recorded with the model " + dir.getFileName(), ", and is fitted as other: ");
    assertThat(carried.err())
        .contains(
            "the step model was fitted on "
                + dir.getFileName()
                + " on 1 x h100-sxm, and this is another model or device");
    assertThat(replay(dir.resolve("own"), "--step-model", model).err())
        .doesNotContain("another model");
  }

  /** What a load generator left is given as the folder that it made. */
  @Test
  void shouldTakeTheFolderOfAClient() throws IOException {
    final CliRun simulated = CliRun.of("simulate", trace, "-o", dir.resolve("sim"));
    assertThat(simulated.exitCode()).as(simulated.err()).isZero();

    final CliRun fit = CliRun.of("fit", dir.resolve("sim"), "-o", dir.resolve("requests.json"));

    assertThat(fit.exitCode()).as(fit.err()).isZero();
    assertThat(fit.out()).contains("wrote ");
  }

  @Test
  void shouldFitTheSameToSpansAndToJournals() throws IOException {
    replay(dir.resolve("run"), "--host-us", "1700");
    final Path journal = dir.resolve("run/journal");
    final Path spans = dir.resolve("spans.jsonl");
    assertThat(CliRun.of("otlp", journal, "--output", spans, "--step-rate", "1").exitCode())
        .isZero();

    final Path ofJournal = dir.resolve("journal.json");
    final Path ofSpans = dir.resolve("spans-model.json");
    CliRun.of(
        "fit", journal, "--model", config, "-o", ofJournal, "--html", dir.resolve("fit.html"));
    final CliRun fit = CliRun.of("fit", spans, "--model", config, "-o", ofSpans);

    assertThat(fit.exitCode()).as(fit.err()).isZero();
    final JsonNode forward = read(ofJournal).path("beta_forward");
    final JsonNode step = read(ofSpans).path("beta_step");
    for (String term : new String[] {"mat_muls", "memory", "decode_attention", "step"}) {
      assertThat(coefficient(step, term) / coefficient(forward, term))
          .as(term)
          .isCloseTo(1, within(0.01));
    }
    assertThat(dir.resolve("fit.html")).content().contains("Measured against predicted");
  }

  @Test
  void shouldFitTheSameToProfilesAndToJournals() throws IOException {
    replay(dir.resolve("run"), "--host-us", "1700");
    final Path journal = dir.resolve("run/journal");
    final Path profile = dir.resolve("profile.jsonl");
    assertThat(CliRun.of("profile", journal, "-o", profile).exitCode()).isZero();

    final Path ofJournal = dir.resolve("journal.json");
    final Path ofProfile = dir.resolve("profile-model.json");
    CliRun.of("fit", journal, "--model", config, "-o", ofJournal);
    final CliRun fit = CliRun.of("fit", profile, "--model", config, "-o", ofProfile);

    assertThat(fit.exitCode()).as(fit.err()).isZero();
    for (String term : new String[] {"mat_muls", "memory", "decode_attention", "step"}) {
      assertThat(
              coefficient(read(ofProfile).path("beta_forward"), term)
                  / coefficient(read(ofJournal).path("beta_forward"), term))
          .as(term)
          .isCloseTo(1, within(0.01));
    }
  }

  @Test
  void shouldFitMeasuredRequestsWithoutAModel() throws IOException {
    final CliRun run = replay(dir.resolve("run"), "--journal-level", "off");
    assertThat(run.exitCode()).as(run.err()).isZero();
    final Path measured = dir.resolve("run/requests.csv");
    final Path out = dir.resolve("requests.json");

    final CliRun fit = CliRun.of("fit", measured, "-o", out);

    assertThat(fit.exitCode()).as(fit.err()).isZero();
    assertThat(fit.out()).contains("140 requests; left out: warm-up 10", "further token");
    final JsonNode requests = read(out).path("measured_requests");
    assertThat(requests.path("first_token").path("r2").doubleValue()).isGreaterThan(0.5);
    assertThat(requests.path("rows_left_out").path("warm-up").intValue()).isEqualTo(10);
    assertThat(replay(dir.resolve("a"), "--step-model", out).err())
        .contains("requests alone do not show step times; fit a journal or beta.csv too");
    assertThat(CliRun.of("fit", measured, "-o", out, "--overwrite", "--html", "x.html").err())
        .contains("--html draws step times: give recorded steps too, or leave it out");
  }

  /** Its requests.csv is all that is known of the run: no journal, no step. */
  @Test
  void shouldMakeAStepModelOfMeasuredRequests() throws IOException {
    final Path run = dir.resolve("run");
    assertThat(
            replay(run, "--host-us", "1700", "--max-num-seqs", "8", "--journal-level", "off")
                .exitCode())
        .isZero();
    final Path measured = run.resolve("requests.csv");
    final Path model = dir.resolve("model.json");

    final CliRun fit =
        CliRun.of("fit", measured, "--model", config, "--max-num-seqs", "8", "-o", model);

    assertThat(fit.exitCode()).as(fit.err()).isZero();
    assertThat(fit.out())
        .contains("150 requests; left out: none", "of the peak", "arrival_to_queue", "held out");
    final JsonNode saved = JsonMapper.shared().readTree(Files.readString(model));
    assertThat(saved.path("runs").path(0).path("max_num_seqs").intValue()).isEqualTo(8);
    assertThat(Math.abs(saved.path("held_out").path("tpot").path("bias").doubleValue()))
        .isLessThan(0.03);
    final Path simulated = dir.resolve("simulated");
    final CliRun again =
        replay(simulated, "--step-model", model, "--max-num-seqs", "8", "--journal-level", "off");
    assertThat(again.exitCode()).as(again.err()).isZero();
    final JsonNode calibration =
        JsonMapper.shared().readTree(CliRun.of("calibrate", run, simulated, "--json").out());
    assertThat(calibration.findValue("e2e").findValue("mean_error").doubleValue()).isLessThan(0.05);
  }

  @Test
  void shouldSayWhichOptionsMeasuredRequestsDoNotHave() throws IOException {
    assertThat(replay(dir.resolve("run"), "--journal-level", "off").exitCode()).isZero();
    final Path measured = dir.resolve("run/requests.csv");
    final Path model = dir.resolve("model.json");

    assertThat(CliRun.of("fit", measured, "--max-num-seqs", "8", "-o", model).err())
        .contains("limits of a server are of measured requests with --model", "--max-num-seqs=8");
    assertThat(
            CliRun.of("fit", measured, "--also", measured + "(max-num-seqs=8)", "-o", model).err())
        .contains("limits of a server are of measured requests with --model");
    assertThat(CliRun.of("fit", measured, "--model", config, "--form", "ridge", "-o", model).err())
        .contains("--form chooses among models of recorded steps");
    assertThat(CliRun.of("fit", measured, "--model", config, "--html", "a.html", "-o", model).err())
        .contains("--html draws step times");
    assertThat(
            CliRun.of(
                    "fit",
                    measured,
                    "--model",
                    config,
                    "--also",
                    measured + "(gpu=h200-sxm)",
                    "-o",
                    model)
                .err())
        .contains("limit of a server", "--gpu=h200-sxm");
    assertThat(model).doesNotExist();
  }

  @Test
  void shouldFitStepsAndMeasuredRequestsTogether() throws IOException {
    replay(dir.resolve("run"));
    final Path model = dir.resolve("model.json");
    final Path page = dir.resolve("fit.html");

    final CliRun fit =
        CliRun.of(
            "fit",
            dir.resolve("run/journal"),
            dir.resolve("run/requests.csv"),
            "--model",
            config,
            "-o",
            model,
            "--html",
            page,
            "--alpha-form",
            "ridge");

    assertThat(fit.exitCode()).as(fit.err()).isZero();
    assertThat(read(model).has("measured_requests")).isTrue();
    assertThat(read(model).path("alpha_wait").path("form").asString("")).isEqualTo("ridge");
    assertThat(page).content().contains("first token, held out (later)");
    assertThat(replay(dir.resolve("again"), "--step-model", model).exitCode()).isZero();
  }

  @Test
  void shouldNotTakeStepsOfGraphsForStepsWithoutThem() throws IOException {
    replay(dir.resolve("run"));
    final Path graphs = dir.resolve("graphs.json");
    final Path eager = dir.resolve("eager.json");
    final Path journal = dir.resolve("run/journal");
    CliRun.of("fit", journal, "--model", config, "-o", graphs);
    CliRun.of("fit", journal, "--model", config, "-o", eager, "--enforce-eager");

    assertThat(replay(dir.resolve("a"), "--step-model", graphs, "--enforce-eager").err())
        .contains("--step-model was fitted on steps of CUDA graphs: leave --enforce-eager out");
    assertThat(replay(dir.resolve("b"), "--step-model", eager).err())
        .contains("--step-model was fitted on steps without CUDA graphs: give --enforce-eager too");
    final CliRun run = replay(dir.resolve("c"), "--step-model", eager, "--enforce-eager");
    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  @Test
  void shouldWaitForLaunchesWithoutGraphs() {
    final CliRun graphs = replay(dir.resolve("a"), "--journal-level", "off");
    final CliRun eager = replay(dir.resolve("b"), "--journal-level", "off", "--enforce-eager");
    final CliRun slower =
        replay(
            dir.resolve("c"),
            "--journal-level",
            "off",
            "--enforce-eager",
            "--eager-launch-us",
            "71");

    assertThat(eager.exitCode()).as(eager.err()).isZero();
    assertThat(meanOf(eager, "time per output")).isGreaterThan(meanOf(graphs, "time per output"));
    assertThat(meanOf(slower, "time per output"))
        .isGreaterThan(1.5 * meanOf(eager, "time per output"));
    assertThat(CliRun.of("replay", trace, "--enforce-eager", "-o", dir.resolve("d")).err())
        .contains("--enforce-eager needs --model: --enforce-eager");
    assertThat(replay(dir.resolve("e"), "--eager-launch-us", "9").err())
        .contains("--eager-launch-us needs --enforce-eager");
    assertThat(replay(dir.resolve("f"), "--enforce-eager", "--eager-launch-us", "-1").err())
        .contains("--eager-launch-us must be >= 0: --eager-launch-us=-1");
  }

  private static JsonNode read(Path file) throws IOException {
    return JsonMapper.shared().readTree(Files.readString(file));
  }

  @Test
  void shouldSayWhatAModelIs() {
    replay(dir.resolve("run"));

    assertThat(CliRun.of("fit", dir.resolve("run/journal"), "--model", "nowhere").err())
        .isEqualToIgnoringNewLines(
            "headway fit: nowhere: no such file: a model is a config.json of Hugging Face, or the"
                + " folder that has it");
  }

  @Test
  void shouldSayWhatIsMissingOrWrong() throws IOException {
    final Path model = dir.resolve("model.json");
    Files.writeString(dir.resolve("beta.csv"), "warm_up\nfalse\n");

    assertThat(replay(dir.resolve("run")).exitCode()).isZero();
    assertThat(CliRun.of("fit", dir.resolve("run/journal"), "-o", model).err())
        .contains(
            "--model is needed: the Hugging Face folder of what was recorded, or its config.json;"
                + " it is called "
                + dir.getFileName());
    final CliRun missing = CliRun.of("fit", dir.resolve("none.csv"), "-o", model);
    assertThat(missing.err())
        .isEqualToIgnoringNewLines("headway fit: no such file: " + dir.resolve("none.csv"));
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(CliRun.of("fit", dir, "--model", config, "-o", model))
        .satisfies(run -> assertThat(run.exitCode()).isEqualTo(1))
        .satisfies(run -> assertThat(run.err()).contains("beta.csv must be a journal's folder"));
    assertThat(CliRun.of("fit", dir, "--model", config, "--training-share", "1.5").err())
        .contains("--training-share must be > 0 and <= 1: --training-share=1.5");
    assertThat(CliRun.of("fit", dir.resolve("none"), "--model", config, "-o", model).exitCode())
        .isEqualTo(1);
    assertThat(model).doesNotExist();
    assertThat(replay(dir.resolve("a"), "--step-model", dir.resolve("beta.csv")).err())
        .contains("--step-model must be a file of headway fit");
    assertThat(replay(dir.resolve("b"), "--step-model", model, "--host-us", "5").err())
        .contains("--step-model has the host's part in it");
  }

  private static double coefficient(JsonNode part, String name) {
    for (JsonNode each : part.path("coefficients")) {
      if (each.path("name").asString("").equals(name)) {
        return each.path("value").doubleValue();
      }
    }
    throw new AssertionError("no coefficient " + name + " in " + part);
  }

  /** The mean of a latency in a summary, in ms. */
  private static double meanOf(CliRun run, String latency) {
    final Matcher mean =
        Pattern.compile(latency + "[a-z ]* +([0-9.,]+) (ms|s) ").matcher(run.out());
    assertThat(mean.find()).as(run.out()).isTrue();
    final double value = Double.parseDouble(mean.group(1).replace(",", ""));
    return mean.group(2).equals("s") ? 1_000 * value : value;
  }
}
