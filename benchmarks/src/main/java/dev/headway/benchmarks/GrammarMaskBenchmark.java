package dev.headway.benchmarks;

import dev.headway.api.request.Grammar;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.TokenConstraints;
import dev.headway.executor.sampling.Sampler;
import dev.headway.executor.sampling.TokenMask;
import dev.headway.grammar.Constraint;
import dev.headway.grammar.GrammarBackend;
import dev.headway.grammar.GrammarLimits;
import dev.headway.grammar.Vocabulary;
import dev.headway.grammar.automaton.AutomatonBackend;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a token costs that a grammar constrains, beside one that nothing does: inside a string of a
 * JSON schema, where most tokens are allowed. Results: docs/benchmarks/grammars.md.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 6, time = 1)
@SuppressWarnings("NullAway.Init") // JMH sets up
public class GrammarMaskBenchmark {

  private static final int END = 256;
  private static final String LETTERS =
      "etaoinshrdlucmfwypvbgkjqxzETAOIN0123456789 .,:\"{}[]-_()\\/";

  private static final String SCHEMA =
      "{\"properties\":{\"name\":{\"type\":\"string\"},\"items\":{\"type\":\"array\",\"items\":"
          + "{\"$ref\":\"#\"}}},\"required\":[\"name\"]}";

  /** Tokens of the vocabulary: those of Llama 2 and of Llama 3. */
  @Param({"32000", "128256"})
  int vocabulary;

  private GrammarBackend backend;
  private GrammarBackend forgetful;
  private Grammar grammar;
  private Grammar unknown;
  private float[] logits;
  private float[] scratch;
  private int[] mask;
  private Sampler sampler;
  private final SamplingParams params = SamplingParams.builder().temperature(0.7f).seed(1).build();

  /** Makes a vocabulary of bytes and of words that get longer. */
  @Setup
  public void setUp() {
    final Random random = new Random(1);
    final byte[][] tokens = new byte[vocabulary][];
    for (int token = 0; token < vocabulary; token++) {
      tokens[token] = token < END ? new byte[] {(byte) token} : word(random, token);
    }
    tokens[END] = new byte[0];
    final Vocabulary words = Vocabulary.of(vocabulary, token -> tokens[token], END);
    backend = AutomatonBackend.builder(words).build();
    forgetful =
        AutomatonBackend.builder(words).limits(GrammarLimits.DEFAULT.withMaxMaskBytes(1)).build();
    grammar = inString(backend);
    unknown = inString(forgetful);
    mask = new int[TokenConstraints.wordsPerRow(vocabulary)];
    logits = new float[vocabulary];
    for (int token = 0; token < vocabulary; token++) {
      logits[token] = (float) random.nextGaussian();
    }
    scratch = new float[vocabulary];
    sampler = new Sampler(vocabulary);
  }

  private static byte[] word(Random random, int token) {
    final StringBuilder word = new StringBuilder();
    for (int i = 2 + random.nextInt(2 + token / 16_000); i > 0; i--) {
      word.append(LETTERS.charAt(Math.abs((int) (random.nextGaussian() * 16)) % LETTERS.length()));
    }
    return word.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static Grammar inString(GrammarBackend backend) {
    final Grammar made =
        backend.compile(new Constraint.JsonSchema(SCHEMA)).toCompletableFuture().join();
    for (char c : "{\"name\":\"a".toCharArray()) {
      if (!made.accept(c)) {
        throw new IllegalStateException("the schema must have the character: c=" + c);
      }
    }
    return made;
  }

  /** Ends the compilers. */
  @TearDown
  public void close() {
    backend.close();
    forgetful.close();
  }

  /** Sampling alone. */
  @Benchmark
  public int sampleUnconstrained() {
    System.arraycopy(logits, 0, scratch, 0, logits.length);
    return sampler.sample(scratch, params, 7);
  }

  /** Sampling within a mask that was needed before. */
  @Benchmark
  public int sampleConstrained() {
    System.arraycopy(logits, 0, scratch, 0, logits.length);
    grammar.fillMask(mask, 0);
    TokenMask.apply(scratch, mask);
    return sampler.sample(scratch, params, 7);
  }

  /** The engine's part: a mask that was needed before, a token forth and back. */
  @Benchmark
  public int[] maskKnown() {
    grammar.fillMask(mask, 0);
    if (grammar.accept('a')) {
      grammar.rollback(1);
    }
    return mask;
  }

  /**
   * A mask that is not known, over a network whose configurations are: the other mask, of what may
   * follow a backslash, takes the place of the one of a string.
   */
  @Benchmark
  public int[] maskMade() {
    if (unknown.accept('\\')) {
      unknown.fillMask(mask, 0);
      unknown.rollback(1);
    }
    unknown.fillMask(mask, 0);
    return mask;
  }
}
