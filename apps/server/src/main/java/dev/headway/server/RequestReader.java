package dev.headway.server;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.SamplingParams;
import dev.headway.routing.timing.TimingJson;
import dev.headway.server.GenerationRequest.Delivery;
import dev.headway.server.GenerationRequest.Echo;
import dev.headway.server.GenerationRequest.Prompt;
import dev.headway.server.GenerationRequest.Stop;
import dev.headway.server.GenerationRequest.Text;
import dev.headway.server.GenerationRequest.TokenIds;
import dev.headway.serving.ServedModel;
import dev.headway.serving.chat.ChatMessage;
import dev.headway.serving.chat.ChatTemplateException;
import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import dev.headway.serving.tool.ToolParser;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Bodies to a {@link GenerationRequest}. Names and ranges are OpenAI's, SGLang's for {@code
 * /generate}, and vLLM's for {@code top_k}, {@code min_p}, {@code repetition_penalty}, {@code
 * stop_token_ids}, {@code min_tokens}, {@code ignore_eos}, {@code priority} and {@code cache_salt}.
 * Any thread.
 */
final class RequestReader {

  private static final int MAX_CHOICES = 128;
  private static final int MAX_PROMPTS = 128;
  private static final int MAX_STOP_STRINGS = 16;
  private static final int MAX_TOP_LOGPROBS = 20;
  private static final int COMPLETION_TOKENS = 16;
  private static final int GENERATE_TOKENS = 128;
  private static final int MAX_INTERVAL = 1 << 20;

  private final ServedModel model;
  private final RequestLimits limits;
  private final @Nullable ToolParser toolParser;

  RequestReader(ServedModel model, RequestLimits limits, @Nullable ToolParser toolParser) {
    this.model = model;
    this.limits = limits;
    this.toolParser = toolParser;
  }

  /** Reads a body of {@code /v1/completions}. */
  GenerationRequest completion(ObjectNode body) {
    final Fields fields = new Fields(body);
    requireModel(fields);
    UnsupportedFields.refuseForCompletion(fields);
    final int topLogprobs = fields.integer("logprobs", -1, 0, MAX_TOP_LOGPROBS);
    final boolean echoes = fields.flag("echo", false);
    final OptionalInt given = maxTokens(fields, echoes ? 0 : 1);
    final boolean isEchoAlone = given.orElse(COMPLETION_TOKENS) == 0;
    final Echo echo = isEchoAlone ? Echo.PROMPT_ALONE : echoes ? Echo.PROMPT : Echo.NONE;
    final OptionalInt longest = OptionalInt.of(Math.max(1, given.orElse(COMPLETION_TOKENS)));
    final AnswerShape shape = AnswerShape.of(ConstraintReader.read(fields));
    final List<Prompt> prompts = prompts(fields);
    final int n = n(fields, prompts);
    return common(
        fields,
        prompts,
        new Extent(n, candidates(fields, prompts, n), echo, given, longest),
        shape,
        topLogprobs);
  }

  /** Reads a body of {@code /v1/chat/completions}. */
  GenerationRequest chat(ObjectNode body) {
    final Fields fields = new Fields(body);
    requireModel(fields);
    UnsupportedFields.refuseForChat(fields);
    final int asked = fields.integer("top_logprobs", 0, 0, MAX_TOP_LOGPROBS);
    final boolean logprobs = fields.flag("logprobs", false);
    if (asked > 0 && !logprobs) {
      throw fields.wrong("top_logprobs", "absent unless logprobs=true", fields.get("top_logprobs"));
    }
    final ToolsReader tools = ToolsReader.read(fields, toolParser);
    final AnswerShape shape = tools.shape(ConstraintReader.read(fields));
    final Text prompt = chatPrompt(fields, tools.forTemplate());
    final List<Prompt> prompts = List.of(prompt);
    final int n = n(fields, prompts);
    final OptionalInt given = maxTokens(fields, 1);
    return common(
        fields, prompts, new Extent(n, n, Echo.NONE, given, given), shape, logprobs ? asked : -1);
  }

  private static int n(Fields fields, List<Prompt> prompts) {
    return fields.integer("n", 1, 1, MAX_CHOICES / prompts.size());
  }

  /** As many answers are made, and the most probable of them sent: none before all are there. */
  private static int candidates(Fields fields, List<Prompt> prompts, int n) {
    final int candidates = fields.integer("best_of", n, n, MAX_CHOICES / prompts.size());
    if (candidates > n && fields.flag("stream", false)) {
      throw fields.wrong("best_of", "n where stream=true", fields.get("best_of"));
    }
    return candidates;
  }

  /** Reads what of a body of {@code /tokenize} has tokens: {@code prompt} or {@code messages}. */
  Text tokenized(Fields fields) {
    requireModel(fields);
    if (fields.has("prompt") == fields.has("messages")) {
      throw fields.wrong("prompt", "a string, or absent beside messages", fields.get("prompt"));
    }
    UnsupportedFields.refuseForTokenize(fields);
    final boolean isChat = fields.has("messages");
    final Text text =
        isChat
            ? chatPrompt(fields, ToolsReader.read(fields, toolParser).forTemplate())
            : new Text(fields.text("prompt", ""), SpecialTokens.ADDED);
    final boolean usual = text.specialTokens() == SpecialTokens.ADDED;
    return new Text(
        text.text(),
        fields.flag("add_special_tokens", usual) ? SpecialTokens.ADDED : SpecialTokens.LEFT_OUT);
  }

  /** Reads a body of {@code /generate}: one prompt, its sampling in {@code sampling_params}. */
  GenerationRequest generate(ObjectNode body) {
    final Fields fields = new Fields(body);
    UnsupportedFields.refuseForGenerate(fields);
    if (fields.has("text") == fields.has("input_ids")) {
      throw fields.wrong("text", "there, or input_ids and not both", fields.get("text"));
    }
    final Prompt prompt =
        fields.has("text")
            ? new Text(fields.text("text", ""), SpecialTokens.ADDED)
            : new TokenIds(fields.tokenIds("input_ids", model.vocabularySize()));
    final Fields sampling = fields.object("sampling_params");
    UnsupportedFields.refuseForSampling(sampling);
    final int maxTokens = sampling.integer("max_new_tokens", GENERATE_TOKENS, 1, Integer.MAX_VALUE);
    final Stop stop =
        new Stop(
            sampling.shortTexts("stop", MAX_STOP_STRINGS),
            stopTokenIds(sampling),
            sampling.flag("ignore_eos", false),
            sampling.integer("min_new_tokens", 0, 0, maxTokens));
    final AnswerShape shape = AnswerShape.of(ConstraintReader.readSampling(sampling));
    requireEnd(shape, stop);
    final SamplingParams picking = sampling(sampling, -1);
    final RequestWishes wishes = wishes(fields, shape, stop, picking);
    final OptionalInt given = sampling.integer("max_new_tokens", 1, Integer.MAX_VALUE);
    return new GenerationRequest(
        List.of(prompt),
        1,
        1,
        Echo.NONE,
        longest(wishes, given, OptionalInt.of(maxTokens)),
        picking,
        stop,
        shape,
        -1,
        new Delivery(fields.flag("stream", false), true, false, false, true, interval(fields)),
        fields.integer("priority", 0, Integer.MIN_VALUE, Integer.MAX_VALUE),
        cacheSalt(fields),
        wishes,
        null,
        UnsupportedFields.ignored(fields, sampling));
  }

  /** SGLang's own name for it is {@code extra_key}. */
  private static String cacheSalt(Fields fields) {
    if (fields.has("cache_salt") && fields.has("extra_key")) {
      throw fields.wrong("extra_key", "absent where there is cache_salt", fields.get("extra_key"));
    }
    return fields.shortText(fields.has("extra_key") ? "extra_key" : "cache_salt", "");
  }

  private int[] stopTokenIds(Fields fields) {
    return fields.tokenIdSet("stop_token_ids", model.vocabularySize(), limits.maxStopTokenIds());
  }

  private static OptionalInt maxTokens(Fields fields, int least) {
    final OptionalInt newer = fields.integer("max_completion_tokens", least, Integer.MAX_VALUE);
    final OptionalInt older = fields.integer("max_tokens", least, Integer.MAX_VALUE);
    return newer.isPresent() ? newer : older;
  }

  private Text chatPrompt(Fields fields, String tools) {
    final List<ChatMessage> messages = messages(fields);
    requireRenderable(messages, tools);
    try {
      return new Text(
          model.chatTemplate().render(messages, tools), model.chatTemplate().specialTokens());
    } catch (ChatTemplateException e) {
      if (e.kind() == ChatTemplateException.Kind.BUSY) {
        throw ApiException.templatesBusy(String.valueOf(e.getMessage()));
      }
      throw ApiException.invalid(
          "messages",
          "messages must be such that the model's chat template takes them: " + e.getMessage());
    }
  }

  /** Before the template runs: it works for seconds on a text of millions of characters. */
  private void requireRenderable(List<ChatMessage> messages, String tools) {
    long chars = tools.length();
    for (ChatMessage message : messages) {
      chars += message.length();
    }
    if (chars > model.maxPromptChars()) {
      throw ApiException.tooLong(
          "messages",
          "messages must be short enough for max_model_len: characters="
              + chars
              + ", most="
              + model.maxPromptChars()
              + ", max_model_len="
              + model.maxModelLen());
    }
  }

  /**
   * How many answers there are, and how long they are.
   *
   * @param given what the client says of their length
   * @param longest most tokens of one; empty for as many as fit
   */
  private record Extent(int n, int candidates, Echo echo, OptionalInt given, OptionalInt longest) {}

  private GenerationRequest common(
      Fields fields, List<Prompt> prompts, Extent extent, AnswerShape shape, int topLogprobs) {
    final boolean stream = fields.flag("stream", false);
    final Fields streaming = fields.object("stream_options");
    final boolean usage = streaming.flag("include_usage", false);
    final boolean usageSoFar = streaming.flag("continuous_usage_stats", false);
    if (fields.has("stream_options") && !stream) {
      throw fields.wrong(
          "stream_options", "absent unless stream=true", fields.get("stream_options"));
    }
    final Stop stop =
        new Stop(
            fields.shortTexts("stop", MAX_STOP_STRINGS),
            stopTokenIds(fields),
            fields.flag("ignore_eos", false),
            minTokens(fields, extent.longest));
    requireEnd(shape, stop);
    final boolean isChosen = extent.candidates > extent.n; // by log-probabilities
    final SamplingParams picking =
        sampling(fields, isChosen ? Math.max(0, topLogprobs) : topLogprobs);
    final RequestWishes wishes = wishes(fields, shape, stop, picking);
    return new GenerationRequest(
        prompts,
        extent.n,
        extent.candidates,
        extent.echo,
        longest(wishes, extent.given, extent.longest),
        picking,
        stop,
        shape,
        topLogprobs,
        new Delivery(
            stream,
            usage,
            usage && usageSoFar, // as in vLLM
            fields.flag("include_metrics", true),
            fields.flag(TimingJson.REQUEST_FIELD, false),
            interval(fields)),
        fields.integer("priority", 0, Integer.MIN_VALUE, Integer.MAX_VALUE),
        fields.shortText("cache_salt", ""),
        wishes,
        requireModel(fields),
        UnsupportedFields.ignored(fields, streaming));
  }

  private RequestWishes wishes(
      Fields fields, AnswerShape shape, Stop stop, SamplingParams picking) {
    final RequestWishes wishes =
        WishReader.read(fields, limits.wishes(), limits.timeout(), model.vocabularySize());
    final boolean isForced = wishes.forcedTokenIds().length > 0;
    if (isForced && (shape.constraint() != null || stop.minTokens() > 0)) {
      throw ApiException.invalid(
          "forced_token_ids",
          "forced_token_ids must be absent beside "
              + (shape.constraint() != null ? shape.field() : "min_tokens")
              + ", which says otherwise what an answer is");
    }
    if (isForced && !picking.tokenBias().isNone()) {
      throw ApiException.invalid(
          "forced_token_ids", "forced_token_ids must be absent beside logit_bias and bad_words");
    }
    return wishes;
  }

  /** An answer that is given beforehand is as long as that, unless it is to be shorter. */
  private static OptionalInt longest(
      RequestWishes wishes, OptionalInt given, OptionalInt otherwise) {
    final int forced = wishes.forcedTokenIds().length;
    if (forced == 0) {
      return otherwise;
    }
    if (given.orElse(forced) == 0) {
      throw ApiException.invalid(
          "max_tokens", "max_tokens must be >= 1 beside forced_token_ids: max_tokens=0");
    }
    if (given.orElse(forced) > forced) {
      throw ApiException.invalid(
          "max_tokens",
          "max_tokens must be <= the tokens of forced_token_ids: max_tokens="
              + given.getAsInt()
              + ", forced_token_ids="
              + forced);
    }
    return OptionalInt.of(given.orElse(forced));
  }

  /** Behind the end of a constrained text anything could follow, so that it has to be the end. */
  private void requireEnd(AnswerShape shape, Stop stop) {
    if (shape.constraint() == null) {
      return;
    }
    if (stop.ignoreEos() || stop.minTokens() > 0) {
      throw ApiException.invalid(
          stop.ignoreEos() ? "ignore_eos" : "min_tokens",
          "an answer must end where "
              + shape.field()
              + " ends it: ignore_eos="
              + stop.ignoreEos()
              + ", min_tokens="
              + stop.minTokens());
    }
    if (model.eosTokenIds().length == 0) {
      throw ApiException.invalid(
          shape.field(), "the model must have a token that ends an answer for " + shape.field());
    }
  }

  private static int interval(Fields fields) {
    return fields.integer("stream_interval", 0, 1, MAX_INTERVAL);
  }

  private int minTokens(Fields fields, OptionalInt maxTokens) {
    return fields.integer("min_tokens", 0, 0, maxTokens.orElse(model.maxModelLen()));
  }

  private SamplingParams sampling(Fields fields, int topLogprobs) {
    final SamplingParams.Builder builder =
        SamplingParams.builder()
            .temperature(fields.number("temperature", 1, 0, 2))
            .topP(fields.number("top_p", 1, Float.MIN_NORMAL, 1))
            // vLLM: -1 is off too
            .topK(Math.max(0, fields.integer("top_k", 0, -1, Integer.MAX_VALUE)))
            .minP(fields.number("min_p", 0, 0, 1))
            .repetitionPenalty(fields.number("repetition_penalty", 1, Float.MIN_NORMAL, 1e6))
            .presencePenalty(fields.number("presence_penalty", 0, -2, 2))
            .frequencyPenalty(fields.number("frequency_penalty", 0, -2, 2))
            .tokenBias(BiasReader.read(fields, model))
            .seed(
                fields
                    .whole("seed", Long.MIN_VALUE, Long.MAX_VALUE)
                    .orElseGet(ThreadLocalRandom.current()::nextLong));
    return (topLogprobs < 0 ? builder : builder.logprobs(topLogprobs)).build();
  }

  /**
   * Requires that a body names the model or one of its adapters.
   *
   * @return the adapter, or null
   * @throws ApiException 404
   */
  @Nullable LoraAdapter requireModel(Fields fields) {
    final String asked = fields.shortText("model", model.name());
    return asked.equals(model.name())
        ? null
        : model.adapter(asked).orElseThrow(() -> ApiException.unknownModel(asked, model));
  }

  private List<Prompt> prompts(Fields fields) {
    final JsonNode value = fields.get("prompt");
    if (value.isArray() && !value.isEmpty() && !value.path(0).isString()) {
      return tokenPrompts(fields, value);
    }
    if (value.isArray() ? value.size() > MAX_PROMPTS : !value.isString()) {
      throw fields.wrong(
          "prompt",
          "a string, an array of at most " + MAX_PROMPTS + " strings, or an array of token ids",
          value);
    }
    final List<Prompt> prompts = new ArrayList<>();
    for (String text : fields.texts("prompt", MAX_PROMPTS)) {
      prompts.add(new Text(text, SpecialTokens.ADDED));
    }
    if (prompts.isEmpty()) {
      throw fields.wrong("prompt", "at least one prompt", value);
    }
    return prompts;
  }

  private List<Prompt> tokenPrompts(Fields fields, JsonNode value) {
    if (!value.path(0).isArray()) {
      return List.of(new TokenIds(fields.tokenIds("prompt", value, model.vocabularySize())));
    }
    if (value.size() > MAX_PROMPTS) {
      throw fields.wrong("prompt", "an array of at most " + MAX_PROMPTS + " prompts", value);
    }
    final List<Prompt> prompts = new ArrayList<>();
    for (int i = 0; i < value.size(); i++) {
      final int[] ids = fields.tokenIds("prompt[" + i + "]", value.path(i), model.vocabularySize());
      if (ids.length == 0) {
        throw fields.wrong("prompt[" + i + "]", "at least one token", value.path(i));
      }
      prompts.add(new TokenIds(ids));
    }
    return prompts;
  }

  /** Each message is a token at least, and work for the template. */
  private List<ChatMessage> messages(Fields fields) {
    final JsonNode value = fields.get("messages");
    if (!value.isArray() || value.isEmpty()) {
      throw fields.wrong("messages", "an array of at least one message", value);
    }
    final int most = Math.min(limits.maxMessages(), model.maxModelLen());
    if (value.size() > most) {
      throw ApiException.invalid(
          "messages",
          "messages must be no more than --max-messages and max_model_len: messages="
              + value.size()
              + ", most="
              + most);
    }
    final List<ChatMessage> messages = new ArrayList<>();
    for (int i = 0; i < value.size(); i++) {
      messages.add(MessageReader.read(fields, i, value.path(i)));
    }
    return messages;
  }
}
