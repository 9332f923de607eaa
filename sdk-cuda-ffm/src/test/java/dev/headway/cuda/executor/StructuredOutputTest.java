package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.StopRule;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.grammar.Constraint;
import dev.headway.grammar.GrammarBackend;
import dev.headway.grammar.Vocabulary;
import dev.headway.grammar.automaton.AutomatonBackend;
import dev.headway.scheduler.time.SystemNanoClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * JSON of a schema from a model of random weights, through an engine. Its tokens are the printable
 * characters of ASCII, a tab that no schema wants, and an end.
 */
@OnCudaDriver
class StructuredOutputTest {
  private static final int VOCABULARY = 97;
  private static final int END = 96;
  private static final int REQUESTS = 12;
  private static final String SCHEMA =
      """
      {"type": "object", "required": ["name", "age", "tags"], "additionalProperties": false,
       "properties": {
         "name": {"type": "string", "pattern": "^[a-z]{2,6}$"},
         "age": {"type": "integer", "minimum": 0, "maximum": 150},
         "tags": {"type": "array", "maxItems": 2, "items": {"enum": ["old", "new"]}}}}
      """;
  private static final String JSON =
      "\\{\"name\": ?\"[a-z]{2,6}\", ?\"age\": ?(\\d\\d?|1[0-4]\\d|150), ?"
          + "\"tags\": ?\\[(\"(old|new)\"(, ?\"(old|new)\")?)?\\]\\}";

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldAnswerJsonOfTheSchema(int stepsInFlight) throws Exception {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
    final long seed = TestSeed.VALUE;
    final List<Request> requests = new ArrayList<>();
    try (GrammarBackend grammars = backend()) {
      for (int i = 0; i < REQUESTS; i++) {
        final Request.Builder request =
            Request.builder("r" + i, 1 + i, 2, 3)
                .stopRule(StopRule.maxTokens(80).withEosTokenId(END))
                .sampling(
                    SamplingParams.builder().temperature(i % 4).topP(0.95f).seed(seed + i).build());
        if (i % 3 != 2) { // the others are free
          request.grammar(grammars.compile(new Constraint.JsonSchema(SCHEMA)), null);
        }
        requests.add(request.build());
      }
      for (Request request : requests) {
        if (request.grammar() != null) {
          request.grammar().toCompletableFuture().get();
        }
      }

      final Generation actual =
          Generation.of(executor(stepsInFlight, seed), config(stepsInFlight), requests);

      for (int i = 0; i < REQUESTS; i++) {
        final int[] tokens = actual.tokens().get(i);
        final String what = "r" + i + ", seed=" + seed;
        if (i % 3 != 2) {
          assertThat(tokens[tokens.length - 1]).as(what).isEqualTo(END);
          assertThat(text(tokens)).as(what).matches(JSON);
        } else {
          assertThat(text(tokens)).as(what).doesNotMatch(JSON);
        }
      }
    }
  }

  private static GrammarBackend backend() {
    return AutomatonBackend.builder(
            Vocabulary.of(
                VOCABULARY,
                token -> Character.toString(letter(token)).getBytes(StandardCharsets.UTF_8),
                END))
        .build();
  }

  private static char letter(int token) {
    return token < 95 ? (char) (' ' + token) : '\t';
  }

  private static String text(int... tokens) {
    final StringBuilder text = new StringBuilder();
    for (int token : tokens) {
      if (token != END) {
        text.append(letter(token));
      }
    }
    return text.toString();
  }

  private static CudaExecutor executor(int stepsInFlight, long seed) {
    return CudaExecutor.builder(
            Model.random(TestModels.tiny(ModelFamily.QWEN3), seed), new SystemNanoClock())
        .blockSize(4)
        .kvBlocks(300)
        .maxNumSeqs(REQUESTS)
        .maxNumBatchedTokens(64)
        .maxModelLen(96)
        .stepsInFlight(stepsInFlight)
        .build();
  }

  private static SchedulerConfig config(int stepsInFlight) {
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(REQUESTS)
                .maxNumBatchedTokens(64)
                .maxModelLen(96)
                .build())
        .pipeline(stepsInFlight == 2 ? PipelineOptions.ASYNC : PipelineOptions.DEFAULT)
        .build();
  }
}
