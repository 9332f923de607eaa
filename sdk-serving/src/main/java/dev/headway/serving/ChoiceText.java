package dev.headway.serving;

import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.TokenStream;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.StopRule;
import dev.headway.serving.tokenizer.TextDecoder;
import dev.headway.serving.tool.CallText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One answer as it grows: its tokens to text, cut at a stop string, its log-probabilities, its
 * times. What was taken is not kept. One thread.
 */
public final class ChoiceText {

  /** An end by the model, or by a stop string. */
  public static final String STOP = "stop";

  /** An end because nothing more fits. */
  public static final String LENGTH = "length";

  private static final int INITIAL_TOKENS = 32;

  private final int index;

  private final TextDecoder decoder;
  private final StopStrings stops;
  private final StopRule rule;
  private final @Nullable CallText calls;
  private final StringBuilder text = new StringBuilder();
  private int[] tokenIds = new int[INITIAL_TOKENS];
  private List<TokenStream.Token> told = new ArrayList<>();
  private int tokens;
  private int tokensTaken;
  private boolean opened;
  private int textLength;
  private double logprob;
  private long firstTokenNs;
  private long lastTokenNs;
  private @Nullable String finishReason;

  /**
   * Begins an answer.
   *
   * @param stopStrings what ends its text
   * @param rule when the engine ends it
   * @param calls tells calls of functions from its text, or null if it has none
   */
  public ChoiceText(
      int index,
      TextDecoder decoder,
      List<String> stopStrings,
      StopRule rule,
      @Nullable CallText calls) {
    this.index = index;
    this.rule = rule;
    this.calls = calls;
    this.decoder = decoder;
    this.stops = new StopStrings(stopStrings);
  }

  /** Which answer, from 0. */
  public int index() {
    return index;
  }

  /**
   * Takes a token; those behind the end are none of the answer.
   *
   * @return whether a stop string has ended it with this token
   */
  public boolean accept(TokenStream.Token token) {
    if (isDone()) {
      return false;
    }
    firstTokenNs = tokens == 0 ? token.atNs() : firstTokenNs;
    lastTokenNs = token.atNs();
    if (tokens == tokenIds.length) {
      tokenIds = Arrays.copyOf(tokenIds, 2 * tokens);
    }
    tokenIds[tokens++] = token.tokenId();
    if (token.logprobs() != null) {
      logprob += token.logprobs().logprob();
      told.add(token);
    }
    if (tokens > rule.minTokens() && rule.isStopToken(token.tokenId())) {
      return false; // it says that the text before it is all; the engine ends with it too
    }
    final String piece = decoder.push(token.tokenId());
    text.append(tokens <= rule.minTokens() ? piece : stops.push(piece)); // as vLLM
    if (stops.isFound()) {
      finishReason = STOP;
    }
    return isDone();
  }

  /** Whether a part of a stream with so many tokens is due: the first at once, the last always. */
  public boolean isDue(int interval) {
    return tokensTaken == 0 || isDone() || tokens - tokensTaken >= interval;
  }

  /**
   * Whether the engine ends the request with the token that was accepted last, and its end is the
   * next event: a stream says the two at once.
   */
  public boolean awaitsEnd() {
    if (isDone() || tokens == 0) {
      return false;
    }
    final int last = tokenIds[tokens - 1];
    return tokens >= rule.maxTokens()
        || (tokens >= rule.minTokens() && (rule.isEos(last) || rule.isStopToken(last)));
  }

  /**
   * The engine has ended the request, however it did; whether that is an answer is for the caller
   * to judge. Without effect if a stop string was first.
   */
  public void end(Finished finished) {
    if (isDone()) {
      return;
    }
    text.append(stops.push(decoder.finish())).append(stops.finish());
    finishReason = !stops.isFound() && isFull(finished.reason()) ? LENGTH : STOP;
  }

  private static boolean isFull(FinishReason reason) {
    return reason == FinishReason.LENGTH || reason == FinishReason.KV_CACHE_EXHAUSTED;
  }

  /** Whether it has ended. */
  public boolean isDone() {
    return finishReason != null;
  }

  /** Tells calls of functions from its text; null if it has none. */
  public @Nullable CallText calls() {
    return calls;
  }

  /** How it ended, or null while it goes on. */
  public @Nullable String finishReason() {
    return finishReason;
  }

  /** Whether there are tokens, or text of earlier ones, that were not taken. */
  public boolean hasNews() {
    return tokens > tokensTaken || !text.isEmpty();
  }

  /** Whether this is the first part of the answer; true once. */
  public boolean takeOpening() {
    final boolean isFirst = !opened;
    opened = true;
    return isFirst;
  }

  /** Takes the text that became certain; empty if a token is a part of a character, or none. */
  public String takeText() {
    tokensTaken = tokens;
    final String taken = text.toString();
    text.setLength(0);
    textLength += taken.length();
    return taken;
  }

  /** Characters taken so far. */
  public int textLength() {
    return textLength;
  }

  /** Takes the tokens whose log-probabilities are known. */
  public List<TokenStream.Token> takeLogprobs() {
    final List<TokenStream.Token> taken = told;
    told = new ArrayList<>();
    return taken;
  }

  /** Tokens of the answer, the one that ended it included. */
  public int tokens() {
    return tokens;
  }

  /** Returns a copy of their ids. */
  public int[] tokenIds() {
    return Arrays.copyOf(tokenIds, tokens);
  }

  /**
   * How probable the answer is: the sum of its tokens' log-probabilities, of those that the
   * executor has reported.
   */
  public double logprob() {
    return logprob;
  }

  /** When the engine had its first token; only if there is one. */
  public long firstTokenNs() {
    return firstTokenNs;
  }

  /** When it had the latest. */
  public long lastTokenNs() {
    return lastTokenNs;
  }
}
