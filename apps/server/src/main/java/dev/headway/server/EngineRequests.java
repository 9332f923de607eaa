package dev.headway.server;

import dev.headway.api.engine.SampledGroup;
import dev.headway.api.request.Grammar;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.StopRule;
import dev.headway.grammar.Constraint;
import dev.headway.server.GenerationRequest.Echo;
import dev.headway.server.GenerationRequest.Prompt;
import dev.headway.server.GenerationRequest.Text;
import dev.headway.server.GenerationRequest.TokenIds;
import dev.headway.serving.ConstraintCompiler;
import dev.headway.serving.ServedModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a client asked for, as requests of the engine: a group for each prompt. Any thread. */
final class EngineRequests {

  /** Longer than vocabularies' tokens: a text beyond cannot fit, and tokenising takes seconds. */
  private static final int MAX_CHARS_PER_TOKEN = 256;

  /** W3C's; a header that is none counts as absent, as the specification asks. */
  private static final Pattern TRACE_PARENT =
      Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-[!-~]{0,64})?");

  private final ServedModel model;
  private final RequestLimits limits;
  private final ConstraintCompiler constraints;

  EngineRequests(ServedModel model, RequestLimits limits, ConstraintCompiler constraints) {
    this.model = model;
    this.limits = limits;
    this.constraints = constraints;
  }

  /** Returns the prompts' tokens. */
  List<int[]> tokenise(GenerationRequest asked) {
    final List<int[]> prompts = new ArrayList<>();
    for (Prompt prompt : asked.prompts()) {
      final int[] ids =
          switch (prompt) {
            case Text text -> tokenise(text, model);
            case TokenIds tokens -> tokens.ids();
          };
      if (ids.length == 0) {
        throw ApiException.invalid("prompt", "prompt must have at least one token: tokens=0");
      }
      prompts.add(ids);
    }
    return prompts;
  }

  /**
   * Returns the tokens of a text.
   *
   * @throws ApiException if it is so long that it cannot fit
   */
  static int[] tokenise(Text prompt, ServedModel model) {
    final long mostChars = (long) model.maxModelLen() * MAX_CHARS_PER_TOKEN;
    if (prompt.text().length() > mostChars) {
      throw ApiException.tooLong(
          "prompt",
          "prompt must be short enough for max_model_len: characters="
              + prompt.text().length()
              + ", most="
              + mostChars
              + ", max_model_len="
              + model.maxModelLen());
    }
    return model.tokenizer().encode(prompt.text(), prompt.specialTokens());
  }

  /**
   * What the server knows of a request beside its body.
   *
   * @param tenant whose it is, or null
   * @param cacheSalt of its prefixes, "" for none
   * @param timeout of the engine for it, or null for none
   */
  record Origin(
      String id,
      @Nullable String traceParent,
      @Nullable String tenant,
      String cacheSalt,
      @Nullable Duration timeout) {}

  /** Returns the requests: a group for each prompt. */
  List<SampledGroup> build(GenerationRequest asked, List<int[]> prompts, Origin origin) {
    final List<StopRule> stopRules = stopRules(asked, prompts);
    final Compiling compiling = new Compiling(asked.shape().constraint());
    final List<SampledGroup> groups = new ArrayList<>();
    for (int prompt = 0; prompt < prompts.size(); prompt++) {
      final int[] tokens = prompts.get(prompt);
      final StopRule stopRule = stopRules.get(prompt);
      groups.add(
          SampledGroup.of(
              prompts.size() == 1 ? origin.id : origin.id + "-" + prompt,
              asked.candidates(),
              asked.sampling(),
              id -> {
                final Request.Builder builder = Request.builder(id, tokens).stopRule(stopRule);
                compiling.addTo(builder);
                return withOrigin(builder, asked, asked.wishes(), origin);
              }));
    }
    return groups;
  }

  /**
   * Returns a request for each prompt that computes it as an answer to its first token, for the
   * log-probabilities of the others: a token each step, and whatever executor there is. The answers
   * behind it find the prompt in the prefix cache.
   */
  List<Request> scoring(GenerationRequest asked, List<int[]> prompts, Origin origin) {
    final List<Request> requests = new ArrayList<>();
    for (int prompt = 0; prompt < prompts.size() && asked.scoresPrompt(); prompt++) {
      final int[] tokens = prompts.get(prompt);
      if (tokens.length > 1) {
        final Request.Builder builder =
            Request.builder(origin.id + "-prompt-" + prompt, tokens[0])
                .forcedTokens(Arrays.copyOfRange(tokens, 1, tokens.length))
                .stopRule(StopRule.maxTokens(tokens.length - 1))
                .sampling(SamplingParams.builder().logprobs(asked.topLogprobs()).build());
        final RequestWishes wishes = new RequestWishes(null, new int[0], asked.wishes().timeouts());
        requests.add(withOrigin(builder, asked, wishes, origin).build());
      }
    }
    return requests;
  }

  private static Request.Builder withOrigin(
      Request.Builder builder, GenerationRequest asked, RequestWishes wishes, Origin origin) {
    builder.priority(asked.priority()).cacheSalt(origin.cacheSalt);
    if (asked.adapter() != null) {
      builder.lora(asked.adapter());
    }
    if (origin.traceParent != null && TRACE_PARENT.matcher(origin.traceParent).matches()) {
      builder.traceParent(origin.traceParent);
    }
    if (origin.tenant != null) {
      builder.tenant(origin.tenant);
    }
    addWishes(wishes, origin.timeout, builder);
    return builder;
  }

  /** A constraint is compiled once: the other requests find it there. */
  private final class Compiling {

    private final @Nullable Constraint constraint;
    private @Nullable CompletionStage<Grammar> first;

    Compiling(@Nullable Constraint constraint) {
      this.constraint = constraint;
    }

    void addTo(Request.Builder builder) {
      if (constraint == null) {
        return;
      }
      final CompletionStage<Grammar> compiled =
          first == null
              ? constraints.compile(constraint)
              : first.thenCompose(known -> constraints.compile(constraint));
      builder.grammar(compiled, null); // the request's timeout bounds it
      first = first == null ? compiled : first;
    }
  }

  /**
   * What a request asks of the engine.
   *
   * @param timeLeft of the server's own timeout, or null for none
   */
  private static void addWishes(
      RequestWishes wishes, @Nullable Duration timeLeft, Request.Builder builder) {
    final Duration total = wishes.timeouts().total();
    final boolean isSooner = timeLeft == null || (total != null && total.compareTo(timeLeft) < 0);
    builder.timeouts(wishes.timeouts().withTotal(isSooner ? total : timeLeft));
    if (wishes.retention() != null) {
      builder.kvCacheRetention(wishes.retention());
    }
    if (wishes.forcedTokenIds().length > 0) {
      builder.forcedTokens(wishes.forcedTokenIds());
    }
  }

  /** One for each prompt: its answers share it. */
  private List<StopRule> stopRules(GenerationRequest asked, List<int[]> prompts) {
    final List<StopRule> rules = new ArrayList<>();
    long tokens = 0;
    for (int[] prompt : prompts) {
      final int maxTokens = maxTokens(asked, prompt);
      tokens += (long) maxTokens * asked.candidates() + (asked.scoresPrompt() ? prompt.length : 0);
      rules.add(stopRule(asked, maxTokens));
    }
    final int most = Math.max(limits.maxOutputTokens(), model.maxModelLen());
    if (tokens > most) {
      throw ApiException.invalid(
          asked.n() > 1 ? "n" : asked.candidates() > 1 ? "best_of" : "max_tokens",
          "all answers together must not be longer than --max-output-tokens; lower n, best_of,"
              + " max_tokens or the number of prompts: tokens="
              + tokens
              + ", most="
              + most
              + ", n="
              + asked.n()
              + ", prompts="
              + prompts.size());
    }
    return rules;
  }

  private int maxTokens(GenerationRequest asked, int[] prompt) {
    final int room = model.maxModelLen() - prompt.length;
    if (room < 1) {
      throw ApiException.tooLong(
          "prompt",
          "prompt must be shorter than max_model_len: prompt_tokens="
              + prompt.length
              + ", max_model_len="
              + model.maxModelLen());
    }
    final int most = asked.maxTokens().orElse(room);
    if (most > room) {
      throw ApiException.tooLong(
          "max_tokens",
          "max_tokens must be <= max_model_len - prompt_tokens: max_tokens="
              + most
              + ", prompt_tokens="
              + prompt.length
              + ", max_model_len="
              + model.maxModelLen());
    }
    return most;
  }

  private StopRule stopRule(GenerationRequest asked, int maxTokens) {
    final int[] own = asked.stop().tokenIds();
    final StopRule rule =
        asked.stop().ignoreEos() || asked.echo() == Echo.PROMPT_ALONE
            ? StopRule.maxTokens(maxTokens).withStopTokenIds(own)
            : model.stopRule(maxTokens, own);
    return rule.withMinTokens(minTokens(asked, maxTokens));
  }

  private static int minTokens(GenerationRequest asked, int maxTokens) {
    final int least = asked.stop().minTokens();
    if (least > maxTokens) {
      throw ApiException.invalid(
          "min_tokens",
          "min_tokens must be <= the tokens that fit: min_tokens="
              + least
              + ", max_tokens="
              + maxTokens);
    }
    return least;
  }
}
