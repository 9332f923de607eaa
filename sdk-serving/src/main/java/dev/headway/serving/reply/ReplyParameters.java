package dev.headway.serving.reply;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a reply can be asked to be. What is null is not asked for: as OpenAI and vLLM have it then.
 * Methods have the names that frameworks use; where one has another, it overrides the name too.
 */
public interface ReplyParameters {

  /** The model, which must be the one that the engine runs; null for that. */
  @Nullable String modelName();

  /** 1 unless set. */
  @Nullable Double temperature();

  /** 1 unless set. */
  @Nullable Double topP();

  /** Any number unless set. */
  @Nullable Integer topK();

  /** 0 unless set. */
  @Nullable Double frequencyPenalty();

  /** 0 unless set. */
  @Nullable Double presencePenalty();

  /** Most tokens of the reply; as many as the model has room for unless set. */
  @Nullable Integer maxOutputTokens();

  /** Texts that end the reply, and are no part of it. */
  List<String> stopSequences();

  /** The tenant that the request is accounted to. */
  @Nullable String tenant();

  /** Smaller is more important; 0 unless set. */
  @Nullable Integer priority();

  /** From the call to the last token; no end unless set. */
  @Nullable Duration timeout();

  /** From the call to the first admission; no end unless set. */
  @Nullable Duration queueTimeout();

  /** From the first admission to the last token; no end unless set. */
  @Nullable Duration runTimeout();

  /** Target from the call to the first token, for policies that order by it. */
  @Nullable Duration ttftTarget();

  /** Equal seeds give equal replies on the same executor; drawn anew for each unless set. */
  @Nullable Long seed();

  /** Tokens before which nothing ends the reply; 0 unless set. */
  @Nullable Integer minOutputTokens();

  /** Least probability relative to the most probable token's; 0 unless set. */
  @Nullable Double minP();

  /** Divisor of the logits of tokens seen before; 1 unless set. */
  @Nullable Double repetitionPenalty();

  /** Prefixes are shared with requests of the same salt alone; none unless set. */
  @Nullable String cacheSalt();

  /** The W3C trace context that spans of the request belong to. */
  @Nullable String traceParent();

  /** What the framework calls these in its messages. */
  default ReplyNames names() {
    return ReplyNames.USUAL;
  }
}
