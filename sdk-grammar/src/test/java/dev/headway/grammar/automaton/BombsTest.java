package dev.headway.grammar.automaton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.request.Grammar;
import dev.headway.api.step.TokenConstraints;
import dev.headway.grammar.Constraint;
import dev.headway.grammar.Constraint.JsonSchema;
import dev.headway.grammar.Constraint.Regex;
import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.ConstraintException.Kind;
import dev.headway.grammar.GrammarBackend;
import dev.headway.grammar.GrammarLimits;
import dev.headway.grammar.Words;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Constraints that are short and cost much are refused before they do. */
class BombsTest {

  /** Twenty times of what is allowed: the machine may be busy, or collect garbage. */
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private final Walks walks = new Walks();

  static List<Constraint> bombs() {
    return List.of(
        new Regex("((a{1000}){1000}){1000}"),
        new Regex("(a|b)*a(a|b){30}"),
        new Regex("(((.*a)*b)*c){40}[^x]{0,300}y(.*d){30}"),
        new Regex("(".repeat(10_000) + ")".repeat(10_000)),
        new Regex("x".repeat(70_000)),
        new JsonSchema("{\"type\":\"string\",\"maxLength\":1000000000}"),
        new JsonSchema(
            "{\"type\":\"string\",\"pattern\":\"(a|b)*a(a|b){12}$\",\"maxLength\":9000}"),
        new JsonSchema("{\"type\":\"array\",\"minItems\":2000000000}"),
        new JsonSchema("{\"items\":".repeat(5_000) + "{}" + "}".repeat(5_000)),
        new JsonSchema("{\"type\":\"integer\",\"minimum\":1e30000000}"),
        new JsonSchema(
            "{\"type\":\"array\",\"prefixItems\":["
                + IntStream.range(0, 2_000)
                    .mapToObj(i -> "{\"type\":\"string\",\"format\":\"date-time\"}")
                    .collect(Collectors.joining(","))
                + "]}"),
        new JsonSchema(
            "{\"$ref\":\"#/$defs/a0\",\"$defs\":{"
                + IntStream.range(0, 1_200)
                    .mapToObj(i -> "\"a" + i + "\":{\"$ref\":\"#/$defs/a" + (i + 1) % 1_200 + "\"}")
                    .collect(Collectors.joining(","))
                + "}}"));
  }

  @ParameterizedTest
  @MethodSource("bombs")
  void shouldRefuseWithinItsLimits(Constraint bomb) {
    final long beginNs = System.nanoTime();

    assertThatThrownBy(() -> walks.compile(bomb))
        .isInstanceOfSatisfying(
            ConstraintException.class,
            refused ->
                assertThat(refused.kind())
                    .as(refused.getMessage())
                    .isIn(Kind.LIMIT, Kind.INVALID, Kind.UNSUPPORTED));

    final long tookNs = System.nanoTime() - beginNs;
    System.out.println("refused after us=" + tookNs / 1_000 + " " + head(bomb));
    assertThat(Duration.ofNanos(tookNs)).isLessThan(LONGEST);
  }

  private static String head(Constraint bomb) {
    final String text = bomb.toString();
    return text.substring(0, Math.min(70, text.length()));
  }

  /** Every level doubles the stacks: found only by a text, on the thread that asks for masks. */
  @Test
  void shouldBoundTheWorkOfAmbiguousTexts() {
    final String member = "{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"additionalProperties\":{}}";
    final Grammar grammar =
        walks.schema("{\"anyOf\":[" + member + "," + member + "," + member + ",{}]}");
    final int[] mask = new int[TokenConstraints.wordsPerRow(walks.size())];
    long mostNs = 0;

    for (byte value : "{\"a\":".repeat(40).getBytes(java.nio.charset.StandardCharsets.US_ASCII)) {
      final long beginNs = System.nanoTime();
      grammar.fillMask(mask, 0);
      mostNs = Math.max(mostNs, System.nanoTime() - beginNs);
      if (!grammar.accept(value)) {
        break;
      }
    }

    System.out.println("longest mask us=" + mostNs / 1_000);
    assertThat(Duration.ofNanos(mostNs)).isLessThan(LONGEST);
  }

  @Test
  void shouldServeOthersWhileBombsAreRefused() {
    final GrammarBackend backend =
        AutomatonBackend.builder(Words.few().vocabulary()).threads(1).build();
    final List<CompletableFuture<Grammar>> refused = new ArrayList<>();
    bombs().forEach(bomb -> refused.add(backend.compile(bomb).toCompletableFuture()));

    final Grammar healthy =
        backend
            .compile(new JsonSchema("{\"type\":\"integer\"}"))
            .toCompletableFuture()
            .orTimeout(30, java.util.concurrent.TimeUnit.SECONDS)
            .join();

    assertThat(Walks.takes(healthy, "12")).isTrue();
    assertThat(refused).allMatch(CompletableFuture::isCompletedExceptionally);
    backend.close();
  }

  @Test
  void shouldSayThatItIsBusyWhenItsQueueIsFull() {
    final GrammarBackend backend =
        AutomatonBackend.builder(Words.few().vocabulary()).threads(1).queued(1).build();
    final List<CompletableFuture<Grammar>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(backend.compile(new Regex("(a|b)*a(a|b){" + (30 + i) + "}")).toCompletableFuture());
    }

    final List<Kind> kinds =
        all.stream()
            .map(
                each ->
                    each.handle((made, failure) -> ((ConstraintException) cause(failure)).kind()))
            .map(CompletableFuture::join)
            .toList();

    assertThat(kinds).contains(Kind.BUSY, Kind.LIMIT);
    backend.close();
  }

  @Test
  void shouldFailWhatWaitsWhenItIsClosed() {
    final GrammarBackend backend =
        AutomatonBackend.builder(Words.few().vocabulary()).threads(1).build();
    final List<CompletableFuture<Grammar>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(backend.compile(new Regex("[0-9]{" + (i + 1) + "}")).toCompletableFuture());
    }

    backend.close();

    assertThatThrownBy(() -> all.getLast().join())
        .hasRootCauseMessage("the grammar backend must be open: it was closed");
    assertThatThrownBy(() -> backend.compile(new Regex("x")).toCompletableFuture().join())
        .hasRootCauseMessage("the grammar backend must be open: it was closed");
  }

  private static Throwable cause(Throwable failure) {
    return failure.getCause() == null ? failure : failure.getCause();
  }

  @Test
  void shouldForgetMasksThatTakeTooMuch() {
    final GrammarBackend backend =
        AutomatonBackend.builder(Words.few().vocabulary())
            .limits(GrammarLimits.DEFAULT.withMaxMaskBytes(400))
            .build();
    final Grammar grammar =
        backend.compile(new Constraint.JsonObject()).toCompletableFuture().join();

    final String text = walks.walk(grammar, new java.util.Random(3), 60);

    assertThat(text).startsWith("{").endsWith("}");
    backend.close();
  }
}
