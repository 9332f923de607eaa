package dev.headway.server;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.SamplingParams;
import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks for, checked, its prompts still as they came.
 *
 * @param prompts texts and token ids, at least one
 * @param n answers to each prompt, >= 1
 * @param candidates answers that are made to each prompt, of which the {@code n} most probable are
 *     sent, >= n
 * @param echo whether answers begin with their prompt
 * @param maxTokens most tokens of an answer; empty for as many as fit
 * @param sampling how tokens are picked in the first answer; the others count the seed up
 * @param stop how answers end
 * @param shape what answers must look like, and how they are read
 * @param topLogprobs most probable tokens sent with each, -1 for no log-probabilities at all
 * @param delivery how the answer is sent
 * @param priority smaller is more important
 * @param cacheSalt shares cached prefixes only with equal salts; empty for no salt
 * @param wishes what the engine is asked for beside the answer
 * @param adapter that the client named as the model; null for the model itself
 * @param ignored names of fields that are not known here and may have asked for something
 */
record GenerationRequest(
    List<Prompt> prompts,
    int n,
    int candidates,
    Echo echo,
    OptionalInt maxTokens,
    SamplingParams sampling,
    Stop stop,
    AnswerShape shape,
    int topLogprobs,
    Delivery delivery,
    int priority,
    String cacheSalt,
    RequestWishes wishes,
    @Nullable LoraAdapter adapter,
    List<String> ignored) {

  /** Returns this without its prompts, which may be megabytes: an answer needs none. */
  GenerationRequest withoutPrompts() {
    return new GenerationRequest(
        List.of(),
        n,
        candidates,
        echo,
        maxTokens,
        sampling,
        stop,
        shape,
        topLogprobs,
        delivery,
        priority,
        cacheSalt,
        wishes,
        adapter,
        ignored);
  }

  /** Whether the prompt's log-probabilities are asked for. */
  boolean scoresPrompt() {
    return echo != Echo.NONE && topLogprobs >= 0;
  }

  /** Whether answers begin with their prompt. */
  enum Echo {
    NONE,
    PROMPT,
    /** There is nothing behind it: {@code max_tokens} is 0. */
    PROMPT_ALONE
  }

  /** A prompt. */
  sealed interface Prompt permits Text, TokenIds {}

  /**
   * A prompt to be tokenised.
   *
   * @param specialTokens whether the tokenizer adds those of the model
   */
  record Text(String text, SpecialTokens specialTokens) implements Prompt {}

  /** A prompt of tokens. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record TokenIds(int[] ids) implements Prompt {}

  /**
   * How answers end.
   *
   * @param strings texts that end an answer; they are not part of it
   * @param tokenIds tokens that end it beside the model's own
   * @param ignoreEos whether it goes on past the model's own
   * @param minTokens tokens before which nothing ends it
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Stop(List<String> strings, int[] tokenIds, boolean ignoreEos, int minTokens) {}

  /**
   * How the answer is sent.
   *
   * @param stream token by token
   * @param usage whether a stream ends with the usage
   * @param usageSoFar whether each token of a stream has that of its choice so far
   * @param metrics whether vLLM's metrics of the request are sent, if the server has them
   * @param timing whether all instants of the request are sent
   * @param interval tokens in a part of a stream, behind the first; 0 for as many as the server
   *     says
   */
  record Delivery(
      boolean stream,
      boolean usage,
      boolean usageSoFar,
      boolean metrics,
      boolean timing,
      int interval) {}
}
