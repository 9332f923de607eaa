package dev.headway.server;

import dev.headway.serving.EngineTimes;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What answers have beside their tokens. Immutable.
 *
 * @param engineTimes the probe of the engine that knows when requests were where, or null for none:
 *     answers say nothing of it then
 * @param perRequestMetrics whether answers have vLLM's per-request metrics, which need that probe
 * @param keepAlive after how long without a token a stream gets a comment; zero for never, since
 *     benchmark clients of vLLM and SGLang lose tokens, or fail, at a comment
 * @param streamInterval tokens in a part of a stream, behind the first, for requests that do not
 *     say
 */
public record AnswerOptions(
    @Nullable EngineTimes engineTimes,
    boolean perRequestMetrics,
    Duration keepAlive,
    int streamInterval) {

  /** Tokens only. */
  static final AnswerOptions PLAIN = new AnswerOptions(null, false, Duration.ZERO, 1);
}
