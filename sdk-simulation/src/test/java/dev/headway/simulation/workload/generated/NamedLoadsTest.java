package dev.headway.simulation.workload.generated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.simulation.workload.Requests;
import dev.headway.simulation.workload.Sample;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamedLoadsTest {
  private static final Comparator<WorkloadRequest> BY_ARRIVAL =
      Comparator.comparingLong(WorkloadRequest::arrivalNs);

  static List<String> names() {
    return NamedLoads.names().stream().filter(name -> !name.equals("retimed")).toList();
  }

  @ParameterizedTest
  @MethodSource("names")
  void shouldMakeEveryLoadWithItsDefaults(String name) {
    final List<WorkloadRequest> requests = requests(name + "(requests=50)");

    assertThat(requests).hasSize(50).isEqualTo(requests(name + "(requests=50)"));
    assertThat(NamedLoads.summary(name)).isNotBlank();
    assertThat(NamedLoads.isNamed(name)).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "chatbot, 256, 100, 2, 800, 256, 100, 1, 1024",
    "contentgen, 1024, 150, 10, 2048, 1024, 200, 10, 2048",
    "summarization, 4096, 500, 100, 8192, 512, 150, 10, 2048",
    "multidoc, 10240, 1200, 500, 20480, 1536, 300, 50, 4096"
  })
  void shouldHaveTheLengthsOfBlis(
      String name,
      double inputMean,
      double inputSd,
      int inputMin,
      int inputMax,
      double outputMean,
      double outputSd,
      int outputMin,
      int outputMax) {
    final List<WorkloadRequest> requests = requests(name + "(requests=20000,seed=4)");

    final Sample inputs = sample(requests, WorkloadRequest::inputTokens);
    final Sample outputs = sample(requests, WorkloadRequest::outputTokens);
    inputs.hasMoments("inputs, seed 4", inputMean, inputSd / inputMean, 0.03);
    outputs.hasMoments("outputs, seed 4", outputMean, outputSd / outputMean, 0.03);
    assertThat(inputs.sorted()[0]).isBetween((double) inputMin, inputMean);
    assertThat(inputs.sorted()[19_999]).isBetween(inputMean, (double) inputMax);
    assertThat(outputs.sorted()[0]).isBetween((double) outputMin, outputMean);
    assertThat(outputs.sorted()[19_999]).isBetween(outputMean, (double) outputMax);
  }

  @Test
  void shouldSendTheRandomDataSetOfVllmAtOnce() {
    final List<WorkloadRequest> requests = requests("random(range-ratio=0.5,prefix-len=32)");

    assertThat(requests).hasSize(1_000).allMatch(request -> request.arrivalNs() == 0);
    final Sample inputs = sample(requests, WorkloadRequest::inputTokens);
    assertThat(inputs.sorted()[0]).isBetween(32 + 512.0, 32 + 520.0);
    assertThat(inputs.sorted()[999]).isBetween(32 + 1_530.0, 32 + 1_536.0);
    final Sample outputs = sample(requests, WorkloadRequest::outputTokens);
    assertThat(outputs.sorted()[0]).isEqualTo(64);
    assertThat(outputs.sorted()[999]).isEqualTo(192);
    assertThat(requests).allMatch(request -> request.prefixTokens() == 32);
  }

  @Test
  void shouldEndAFixedRateOfVllmAtItsExactTime() {
    final List<WorkloadRequest> requests =
        requests("random(rate=4,requests=200,burstiness=0.2,seed=9)");

    assertThat(requests.getLast().arrivalNs()).isEqualTo(50_000_000_000L);
  }

  @Test
  void shouldSendTheRequestsOfAFileAtOtherTimes(@TempDir Path dir) throws IOException {
    final Path file =
        Files.writeString(
            dir.resolve("sharegpt.json"),
            """
            [{"conversations": [{"value": "a prompt of some length"}, {"value": "and its answer"}]},
             {"conversations": [{"value": "too short"}, {"value": "a"}]},
             {"conversations": [{"value": "another, longer prompt by far"}, {"value": "yes, indeed it is"}]}]
            """);

    final Workload given = NamedLoads.open("retimed(file=" + file + ",rate=4,arrival=constant)");

    assertThat(Requests.of(given))
        .containsExactly(
            new WorkloadRequest("sharegpt-0", 250_000_000, 6, 4, new int[0], 0, null, 0),
            new WorkloadRequest("sharegpt-1", 500_000_000, 8, 5, new int[0], 0, null, 0));
    assertThat(given.adjustments().leftOutRows()).isEqualTo(1);
    assertThat(requests("retimed(file=" + file + ",rate=4,requests=1)")).hasSize(1);
    assertThatThrownBy(() -> NamedLoads.open("retimed(file=none.json)"))
        .isInstanceOf(UncheckedIOException.class);
  }

  @Test
  void shouldShareASystemPromptInEachGroupAsSglangDoes() {
    final List<WorkloadRequest> requests =
        requests(
            "generated-shared-prefix(num-groups=4,prompts-per-group=3,system-prompt-len=100,"
                + "question-len=20,output-len=7)");

    assertThat(requests)
        .hasSize(12)
        .allSatisfy(
            request -> {
              assertThat(request.inputTokens()).isEqualTo(120);
              assertThat(request.prefixTokens()).isEqualTo(100);
              assertThat(request.outputTokens()).isEqualTo(7);
              assertThat(request.arrivalNs()).isZero();
            });
    final List<Integer> groups = requests.stream().map(r -> r.prefixBlockIds()[0]).toList();
    assertThat(groups).containsExactlyInAnyOrder(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3);
    assertThat(groups).as("their order is drawn").isNotEqualTo(groups.stream().sorted().toList());
  }

  @Test
  void shouldRepeatEarlierTurnsInEachPromptOfASession() {
    final List<WorkloadRequest> requests =
        requests("sessions(requests=2000,turns=5,system=160,input=20,output=12,think=4,seed=3)");

    final Map<String, List<WorkloadRequest>> sessions =
        requests.stream()
            .collect(Collectors.groupingBy(each -> each.requestId().replaceFirst("-\\d+$", "")));
    assertThat(requests).hasSize(2_000).isSortedAccordingTo(BY_ARRIVAL);
    assertThat(sessions.values())
        .allSatisfy(turns -> assertThat(turns).hasSizeLessThanOrEqualTo(5));
    for (List<WorkloadRequest> turns : sessions.values()) {
      for (int i = 0; i < turns.size(); i++) {
        final WorkloadRequest turn = turns.get(i);
        assertThat(turn.inputTokens()).isEqualTo(160 + 20 * (i + 1) + 12 * i);
        assertThat(turn.prefixBlockIds()).startsWith(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        if (i > 0) {
          assertThat(turn.prefixBlockIds()).startsWith(turns.get(i - 1).prefixBlockIds());
        }
      }
    }
    final double gapSeconds =
        sessions.values().stream()
            .filter(turns -> turns.size() == 5)
            .mapToDouble(turns -> (turns.get(4).arrivalNs() - turns.get(0).arrivalNs()) / 4e9)
            .average()
            .orElseThrow();
    assertThat(gapSeconds).isCloseTo(4, within(0.3));
  }

  @Test
  void shouldShareNothingBetweenSessionsButTheSystemPrompt() {
    final List<WorkloadRequest> requests = requests("sessions(requests=400,turns=2,system=32)");

    final List<Integer> third = requests.stream().map(each -> each.prefixBlockIds()[2]).toList();
    final long sessions = requests.stream().filter(each -> each.requestId().endsWith("-0")).count();
    assertThat(third.stream().distinct().count()).isEqualTo(sessions).isGreaterThan(190);
  }

  @Test
  void shouldEndASessionBeforeItsPromptIsTooLong() {
    final List<WorkloadRequest> requests =
        requests("sessions(requests=300,turns=100,system=0,input=30,output=10,max-input=150)");

    assertThat(requests.stream().mapToInt(WorkloadRequest::inputTokens).max()).hasValue(150);
    assertThat(requests.stream().map(WorkloadRequest::requestId))
        .anyMatch(id -> id.endsWith("-3"))
        .noneMatch(id -> id.endsWith("-4"));
  }

  @Test
  void shouldRepeatThePrefixesOfVllm() {
    final List<WorkloadRequest> requests = requests("prefix_repetition(num-prefixes=5)");

    final Set<Integer> prefixes = new HashSet<>();
    requests.forEach(request -> Arrays.stream(request.prefixBlockIds()).forEach(prefixes::add));
    assertThat(prefixes).hasSize(5);
    assertThat(requests)
        .allMatch(request -> request.inputTokens() == 512 && request.outputTokens() == 128);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rate=20",
        "rate=20,exact-mean=true",
        "rate=20,arrival=constant",
        "rate=20,arrival=gamma:3",
        "rate=20,arrival=weibull:2.5",
        "rate=20,burstiness=0.5",
        "rate=ramp:0:40:100",
        "rate=exp-ramp:10:35:100",
        "rate=diurnal:20:4:100:10",
        "rate=spike:10:110:20:10",
        "rate=stages:10:50:30:50",
        "rate=on-off:40:1:1",
        "rate=switching:30:10:2:2"
      })
  void shouldTakeEveryFormOfArrivals(String options) {
    final List<WorkloadRequest> requests =
        requests("generated(seconds=100,requests=1000000,seed=2," + options + ")");

    assertThat((double) requests.size()).as(options).isCloseTo(2_000, within(350.0));
  }

  @ParameterizedTest
  @CsvSource({
    "700, 700",
    "constant:700, 700",
    "uniform:1:999, 500",
    "normal:300:10:1:900, 300",
    "lognormal:5:0.5, 168.2",
    "exponential:250, 250",
    "pareto-lognormal:3:100:5:0.5:0.5, 159.1",
    "zipf:0:99, 50",
    "empirical:10:0.5:30:0.5, 20"
  })
  void shouldTakeEveryFormOfLengths(String form, double mean) {
    final List<WorkloadRequest> requests =
        requests("generated(requests=5000,output=" + form + ",input=" + form + ")");

    assertThat(sample(requests, WorkloadRequest::inputTokens).mean())
        .isCloseTo(mean, within(0.06 * mean));
    assertThat(sample(requests, WorkloadRequest::outputTokens).mean())
        .isCloseTo(mean, within(0.06 * mean));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "chatbto(rate=3)|a made-up load must be one of synthetic, short-long, bursty-tenants,"
            + " priorities, long-outputs, generated, chatbot, contentgen, summarization, multidoc,"
            + " random, prefix_repetition, generated-shared-prefix, sessions, retimed, for-learning: load=chatbto(rate=3); the nearest: chatbot",
        "retimed(rate=3)|a retimed load needs the path of a file: file=null",
        "retimed(file=x,exact-mean=true)|exact-mean needs requests",
        "retimed(file=x,foramt=auto)|; the nearest: format",
        "chatbot(rat=3)|a load has no such options: options=[rat], load=chatbot(rat=3); it has"
            + " arrival, burstiness, exact-mean, input, output, prefix-groups, prefix-tokens, rate,"
            + " requests, seconds, seed, tenants; the nearest: rate",
        "chatbot(rate=ramb:1:2:3)|rate must be one of constant:RATE, ramp:FROM:TO:SECONDS,"
            + " exp-ramp:FROM:TO:SECONDS, diurnal:MEAN:PEAK_TO_TROUGH:PERIOD_S:PEAK_S,"
            + " spike:RATE:PEAK:START_S:SECONDS, stages:RATE:SECONDS...,"
            + " on-off:RATE:ON_S:OFF_S, switching:RATE:RATE:SECONDS:SECONDS, inf:"
            + " rate=ramb:1:2:3; the nearest: ramp",
        "chatbot(rate=ramp:1:2)|rate must be ramp:FROM:TO:SECONDS, with numbers: rate=ramp:1:2",
        "chatbot(rate=x2)|rate must be one of",
        "chatbot(input=uniform:a:b)|input must be uniform:MIN:MAX, with numbers:"
            + " input=uniform:a:b",
        "chatbot(input=constant:1.5)|tokens must be an integer: tokens=1.5",
        "chatbot(requests=many)|requests of a load must be an integer: requests=many,"
            + " load=chatbot(requests=many)",
        "chatbot(requests=9999999999)|requests of a load must fit 32 bits",
        "chatbot(exact-mean=yes)|exact-mean of a load must be true or false",
        "chatbot(rate=inf,exact-mean=true)|exact-mean needs a rate that is a number: rate=inf",
        "chatbot(arrival=gamma:3,burstiness=2)|arrival and burstiness say the same: give one",
        "random(range-ratio=1)|range-ratio must be in [0, 1): range-ratio=1.0",
        "chatbot(prefix-tokens=64)|prefix-tokens needs prefix-groups: prefix-groups=null",
        "chatbot+random|a load must be one name with options: load=chatbot+random",
        "short-lang|load=short-lang; the nearest: short-long"
      })
  void shouldSayWhatThereIs(String load, String message) {
    assertThatThrownBy(() -> NamedLoads.open(load))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  /** A file that is there goes first. */
  @ParameterizedTest
  @ValueSource(strings = {"short-lang", "chatbto", "sesions"})
  void shouldTakeAMisspeltNameForALoad(String word) {
    assertThat(NamedLoads.isNamed(word)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "trace.csv",
        "dir/chatbot",
        "trace",
        "a(b).csv",
        "",
        "short-lang.csv",
        "./chatbto",
        "chatbto(b).csv"
      })
  void shouldLeaveFilesToOthers(String path) {
    assertThat(NamedLoads.isNamed(path)).isFalse();
  }

  private static List<WorkloadRequest> requests(String load) {
    return Requests.of(NamedLoads.open(load));
  }

  private static Sample sample(List<WorkloadRequest> requests, ToIntFunction<WorkloadRequest> of) {
    return new Sample(requests.stream().mapToDouble(of::applyAsInt).sorted().toArray());
  }
}
