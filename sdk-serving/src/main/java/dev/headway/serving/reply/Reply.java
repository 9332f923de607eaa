package dev.headway.serving.reply;

import dev.headway.api.schedule.WaitTimes;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.tool.CallText;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A whole reply, and what its request waited for. Instants are of the engine's clock. Immutable.
 *
 * @param id of the request
 * @param text all that is no call; empty for none
 * @param calls those that are complete
 * @param isCutOff whether it has ended because nothing more fits
 * @param waits how long it waited in the queue, by reason
 * @param preemptions how often it was preempted
 * @param arrivalNs when it was asked for, before its prompt was made
 * @param firstTokenNs when its first token was there; empty without one
 * @param finishedNs when the engine ended it
 * @param times what only a probe knows; null without that probe, or without a token
 */
public record Reply(
    String id,
    String text,
    List<CallText.Call> calls,
    boolean isCutOff,
    int promptTokens,
    int outputTokens,
    WaitTimes waits,
    int preemptions,
    long arrivalNs,
    OptionalLong firstTokenNs,
    long finishedNs,
    EngineTimes.@Nullable Times times) {

  /** Copies the calls. */
  public Reply {
    calls = List.copyOf(calls);
  }
}
