package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.headway.api.executor.Executor;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.serving.chat.BuiltInTemplate;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * A trained model with its own tokenizer, over HTTP: each prompt has a seed of its own and is
 * answered once for each schema. What the answers are worth is said by a validator that is not
 * ours. 1,000 prompts with {@code -Pslow}, whose log has the figures of
 * docs/benchmarks/grammars.md.
 */
@Timeout(value = 1_800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StructuredProofTest {

  private static final Logger LOG = LoggerFactory.getLogger(StructuredProofTest.class);
  private static final Path STORIES =
      Path.of(
          "..", "..", "sdk-executor-host", "src", "test", "resources", "models", "stories260K-hf");
  private static final int PROMPTS = Boolean.getBoolean("headway.slow") ? 1_000 : 100;
  private static final int AT_ONCE = 16;
  private static final int MAX_TOKENS = 160;

  private static final String[] NAMES = {
    "Tom", "Lily", "Sue", "Ben", "Mia", "Max", "Anna", "Tim", "Sara", "Jack"
  };
  private static final String[] THINGS = {
    "ball", "cat", "dog", "tree", "car", "book", "cake", "bird", "boat", "hat"
  };
  private static final String[] PLACES = {
    "park", "house", "garden", "school", "river", "shop", "forest", "beach", "farm", "town"
  };

  private static final List<String> SCHEMAS =
      List.of(
          "{'type':'object','properties':{'name':{'type':'string','maxLength':12},"
              + "'age':{'type':'integer','minimum':0,'maximum':150}},'required':['name','age'],"
              + "'additionalProperties':false}",
          "{'type':'array','minItems':1,'maxItems':3,'items':{'enum':['red','green',7,null]}}",
          "{'type':'object','properties':{'day':{'type':'string','format':'date'},"
              + "'ok':{'type':'boolean'},"
              + "'code':{'type':'string','pattern':'^[A-Z]{2}-[0-9]{3}$'}},'required':['day']}",
          "{'anyOf':[{'const':'no'},{'type':'object','properties':{'p':{'type':'number',"
              + "'minimum':0,'maximum':1},'q':{'type':'string','maxLength':3}},'required':['q']}]}",
          "{'$defs':{'leaf':{'type':'object','properties':{'v':{'enum':[1,2,3]}},"
              + "'required':['v']}},'type':'object','properties':{'left':{'$ref':'#/$defs/leaf'},"
              + "'right':{'$ref':'#/$defs/leaf'}},'required':['left','right']}");

  /** What was answered, and what that took. */
  private static final class Tally {
    int answers;
    int ended;
    long tokens;
    long wallNs;
    long engineNs;

    double engineUsPerToken() {
      return engineNs / 1e3 / tokens;
    }

    double tokensPerSecond() {
      return tokens * 1e9 / wallNs;
    }
  }

  /** An answer to a prompt. */
  private record Answer(int prompt, String text, String reason, int tokens) {}

  @Test
  void shouldAnswerValidJsonWhateverThePromptAndTheSeed() throws Exception {
    try (ModelSource source = ModelSource.folder(STORIES, BuiltInTemplate.PLAIN);
        Executor executor =
            source.open(Served.REFERENCE, new SystemNanoClock(), Served.sizes(512))) {
      final Served.Setup setup = new Served.Setup();
      setup.source = source;
      setup.maxModelLen = 256;
      try (Served served = setup.start(executor)) {
        prove(served);
      }
    }
  }

  private static void prove(Served served) throws Exception {
    final SchemaRegistry registry =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
    final Tally constrained = new Tally();
    final Tally free = new Tally();
    for (String quoted : SCHEMAS) {
      final String schema = quoted.replace('\'', '"');
      final Schema validator = registry.getSchema(schema);
      final List<Answer> answers =
          timed(constrained, () -> all(served, PROMPTS, i -> constrained(i, schema)));
      for (Answer answer : answers) {
        constrained.answers++;
        constrained.tokens += answer.tokens;
        if (answer.reason.equals("stop")) {
          constrained.ended++;
          assertThat(validator.validate(answer.text, InputFormat.JSON))
              .as("seed=%s, schema=%s, text=%s", answer.prompt, schema, answer.text)
              .isEmpty();
        }
      }
      // as many tokens for the same prompts, without a constraint
      final List<Answer> others =
          timed(free, () -> all(served, PROMPTS, i -> free(i, answers.get(i).tokens)));
      others.forEach(answer -> free.tokens += answer.tokens);
      assertThat(free.tokens).isEqualTo(constrained.tokens);
    }
    LOG.warn(
        "prompts={} schemas={} answers={} ended={} tokens={}; constrained {} tokens/s, engine {}"
            + " us/token; free {} tokens/s, engine {} us/token",
        PROMPTS,
        SCHEMAS.size(),
        constrained.answers,
        constrained.ended,
        constrained.tokens,
        Math.round(constrained.tokensPerSecond()),
        constrained.engineUsPerToken(),
        Math.round(free.tokensPerSecond()),
        free.engineUsPerToken());
    assertThat(constrained.ended).isGreaterThan(constrained.answers * 9 / 10); // cut by max_tokens
  }

  /** Bodies by the number of their prompt. */
  private interface Bodies {
    String of(int prompt);
  }

  /** Something that answers. */
  private interface Run {
    List<Answer> run() throws Exception;
  }

  private static List<Answer> timed(Tally tally, Run run) throws Exception {
    final long engine = engineCpuNs();
    final long beginNs = System.nanoTime();
    final List<Answer> answers = run.run();
    tally.wallNs += System.nanoTime() - beginNs;
    tally.engineNs += engineCpuNs() - engine;
    return answers;
  }

  /** The engine's thread runs the model, samples and computes the masks. */
  private static long engineCpuNs() {
    final Thread engine =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("engine-under-test"))
            .findFirst()
            .orElseThrow();
    return ManagementFactory.getThreadMXBean().getThreadCpuTime(engine.threadId());
  }

  private static List<Answer> all(Served served, int prompts, Bodies bodies)
      throws IOException, InterruptedException, ExecutionException {
    final List<Future<Answer>> futures = new ArrayList<>();
    try (ExecutorService clients = Executors.newFixedThreadPool(AT_ONCE)) {
      for (int i = 0; i < prompts; i++) {
        final int prompt = i;
        futures.add(clients.submit(() -> answer(served, prompt, bodies.of(prompt))));
      }
    }
    final List<Answer> answers = new ArrayList<>();
    for (Future<Answer> future : futures) {
      answers.add(future.get());
    }
    return answers;
  }

  private static Answer answer(Served served, int prompt, String body) {
    final JsonNode answer = served.answer("/v1/completions", body);
    final JsonNode choice = answer.path("choices").path(0);
    return new Answer(
        prompt,
        choice.path("text").asString(),
        choice.path("finish_reason").asString(),
        answer.path("usage").path("completion_tokens").intValue());
  }

  private static String constrained(int prompt, String schema) {
    return body(prompt, MAX_TOKENS) + ",\"guided_json\":" + schema + "}";
  }

  private static String free(int prompt, int tokens) {
    return body(prompt, tokens) + ",\"ignore_eos\":true}";
  }

  /** Of each number another prompt, whose seed is its number. */
  private static String body(int prompt, int maxTokens) {
    final String text =
        NAMES[prompt % 10]
            + " had a "
            + THINGS[prompt / 10 % 10]
            + " in the "
            + PLACES[prompt / 100 % 10]
            + ".";
    return ("{'prompt':'"
            + text
            + "','max_tokens':"
            + maxTokens
            + ",'temperature':1,'seed':"
            + prompt)
        .replace('\'', '"');
  }
}
