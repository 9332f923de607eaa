package dev.headway.serving.reply;

import dev.headway.api.request.Request;
import dev.headway.api.request.RequestTimeouts;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.StopRule;
import dev.headway.serving.ServedModel;
import dev.headway.serving.chat.ChatMessage;
import dev.headway.serving.chat.ChatTemplate;
import dev.headway.serving.chat.ChatTemplateException;
import dev.headway.serving.reply.ReplyException.Kind;
import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** A prompt and parameters, as a request of the engine. Any thread. */
public final class ReplyMaker {

  private final ReplyEngine model;

  /** Makes requests of an engine. */
  public ReplyMaker(ReplyEngine model) {
    this.model = model;
  }

  /**
   * Refuses what no request can have here.
   *
   * @throws ReplyException naming it
   */
  public void requireSupported(ReplyParameters parameters) {
    final @Nullable String asked = parameters.modelName();
    if (asked != null && !asked.equals(model.served().name())) {
      throw new ReplyException(
          Kind.UNSUPPORTED,
          "another "
              + parameters.names().model()
              + " than that of the model that the engine runs is not supported: "
              + parameters.names().model()
              + "="
              + asked
              + ", served="
              + model.served().name());
    }
  }

  /**
   * Makes a request of a chat. Its prompt may take milliseconds.
   *
   * @param arrivalNs when it was asked for, of the engine's clock
   * @throws ReplyException if it can never be answered, or the chat template is being run for too
   *     many others
   */
  public ReplyCall chat(
      List<ChatMessage> messages, ReplyParameters parameters, ReplyShape shape, long arrivalNs) {
    final ChatTemplate template = model.served().chatTemplate();
    requireShort(
        "messages",
        shape.tools().length() + messages.stream().mapToLong(ChatMessage::length).sum());
    final String prompt;
    try {
      prompt = template.render(messages, shape.tools());
    } catch (ChatTemplateException e) {
      if (e.kind() == ChatTemplateException.Kind.BUSY) {
        throw new ReplyException(Kind.OVERLOADED, e.getMessage(), e);
      }
      throw new ReplyException(
          Kind.INVALID,
          "messages must be such that the model's chat template takes them: " + e.getMessage(),
          e);
    }
    return text(prompt, template.specialTokens(), parameters, shape, arrivalNs);
  }

  /**
   * Makes a request of a prompt.
   *
   * @param special whether the model's special tokens are added
   * @param arrivalNs when it was asked for, of the engine's clock
   * @throws ReplyException naming the parameter that is not as it must be
   */
  public ReplyCall text(
      String prompt,
      SpecialTokens special,
      ReplyParameters parameters,
      ReplyShape shape,
      long arrivalNs) {
    final int[] tokens = tokenise(prompt, special);
    try {
      final Request.Builder builder =
          Request.builder(UUID.randomUUID().toString(), tokens)
              .stopRule(stopRule(parameters, shape, tokens.length))
              .sampling(sampling(parameters))
              .timeouts(timeouts(parameters));
      addOwn(parameters, builder);
      if (shape.constraint() != null) {
        builder.grammar(
            model.constraints().compile(shape.constraint()), null); // the timeout bounds it
      }
      return new ReplyCall(
          builder.build(), tokens, stops(parameters), shape.use(), arrivalNs, parameters.names());
    } catch (IllegalArgumentException e) { // each names its parameter, rule and value
      throw new ReplyException(Kind.INVALID, e.getMessage(), e);
    }
  }

  /**
   * Refuses a text before any work is done for it: a chat template or a tokenizer would work for
   * seconds on it.
   *
   * @throws ReplyException if it can never fit
   */
  private void requireShort(String name, long chars) {
    final ServedModel served = model.served();
    if (chars > served.maxPromptChars()) {
      throw new ReplyException(
          Kind.INVALID,
          name
              + " must be short enough for maxModelLen: characters="
              + chars
              + ", most="
              + served.maxPromptChars()
              + ", maxModelLen="
              + served.maxModelLen());
    }
  }

  private int[] tokenise(String prompt, SpecialTokens special) {
    final ServedModel served = model.served();
    requireShort("prompt", prompt.length());
    final int[] tokens = served.tokenizer().encode(prompt, special);
    if (tokens.length == 0) {
      throw new ReplyException(Kind.INVALID, "prompt must have at least one token: tokens=0");
    }
    return tokens;
  }

  private StopRule stopRule(ReplyParameters parameters, ReplyShape shape, int promptTokens) {
    final ServedModel served = model.served();
    final int maxTokens = maxTokens(parameters, promptTokens);
    final int minTokens = orElse(parameters.minOutputTokens(), 0);
    if (shape.constraint() != null && (minTokens > 0 || served.eosTokenIds().length == 0)) {
      throw new ReplyException(
          Kind.INVALID,
          "an answer of a "
              + parameters.names().format()
              + " or a required tool must end where that ends, at a token of"
              + " the model's: minOutputTokens="
              + minTokens
              + ", eosTokenIds="
              + Arrays.toString(served.eosTokenIds()));
    }
    return served.stopRule(maxTokens).withMinTokens(minTokens);
  }

  private int maxTokens(ReplyParameters parameters, int promptTokens) {
    final int most = model.served().maxModelLen();
    final int room = most - promptTokens;
    final int asked = orElse(parameters.maxOutputTokens(), room);
    if (room < 1 || asked > room) {
      throw new ReplyException(
          Kind.INVALID,
          "prompt and answer must fit into maxModelLen: promptTokens="
              + promptTokens
              + ", "
              + parameters.names().maxOutputTokens()
              + "="
              + (parameters.maxOutputTokens() == null ? "1 at least" : asked)
              + ", maxModelLen="
              + most);
    }
    return asked;
  }

  /** What is not asked for is as OpenAI and vLLM have it. */
  private static SamplingParams sampling(ReplyParameters parameters) {
    return SamplingParams.builder()
        .temperature((float) orElse(parameters.temperature(), 1))
        .topP((float) orElse(parameters.topP(), 1))
        .topK(orElse(parameters.topK(), 0))
        .minP((float) orElse(parameters.minP(), 0))
        .repetitionPenalty((float) orElse(parameters.repetitionPenalty(), 1))
        .presencePenalty((float) orElse(parameters.presencePenalty(), 0))
        .frequencyPenalty((float) orElse(parameters.frequencyPenalty(), 0))
        .seed(
            parameters.seed() == null ? ThreadLocalRandom.current().nextLong() : parameters.seed())
        .build();
  }

  private static RequestTimeouts timeouts(ReplyParameters parameters) {
    return RequestTimeouts.NONE
        .withTotal(parameters.timeout())
        .withQueue(parameters.queueTimeout())
        .withRun(parameters.runTimeout());
  }

  private static void addOwn(ReplyParameters parameters, Request.Builder builder) {
    builder.priority(orElse(parameters.priority(), 0));
    if (parameters.tenant() != null) {
      builder.tenant(parameters.tenant());
    }
    if (parameters.cacheSalt() != null) {
      builder.cacheSalt(parameters.cacheSalt());
    }
    if (parameters.traceParent() != null) {
      builder.traceParent(parameters.traceParent());
    }
    if (parameters.ttftTarget() != null) {
      builder.ttftTarget(parameters.ttftTarget());
    }
  }

  private static List<String> stops(ReplyParameters parameters) {
    final List<String> stops = parameters.stopSequences();
    if (stops.contains("")) {
      throw new ReplyException(
          Kind.INVALID, "stopSequences must not have empty texts: stopSequences=" + stops);
    }
    return stops;
  }

  private static int orElse(@Nullable Integer value, int otherwise) {
    return value == null ? otherwise : value;
  }

  private static double orElse(@Nullable Double value, double otherwise) {
    return value == null ? otherwise : value;
  }
}
