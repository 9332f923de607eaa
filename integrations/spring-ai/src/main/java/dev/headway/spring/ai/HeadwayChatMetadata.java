package dev.headway.spring.ai;

import dev.headway.api.schedule.WaitTimes;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.reply.Reply;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.springframework.ai.chat.model.ChatResponse;

/**
 * What a response says of its request. Instants are nanoseconds of the engine's clock. Immutable.
 *
 * @param waits how long it waited in the queue, by reason, as the scheduler decided it
 * @param preemptions how often it was preempted
 * @param arrivalNs when it was asked for, before its prompt was made
 * @param queuedNs when it was in the waiting queue; only of models with {@code engineTimes}
 * @param scheduledNs when its first step was planned; only of models with {@code engineTimes}
 * @param firstTokenNs when its first token was there; empty if it has none
 * @param finishedNs when the engine ended it
 * @param cachedPromptTokens tokens of its prompt that the prefix cache had; only of models with
 *     {@code engineTimes}
 */
public record HeadwayChatMetadata(
    WaitTimes waits,
    int preemptions,
    long arrivalNs,
    OptionalLong queuedNs,
    OptionalLong scheduledNs,
    OptionalLong firstTokenNs,
    long finishedNs,
    OptionalInt cachedPromptTokens) {

  /** Where it is in the metadata of a response. */
  public static final String KEY = "headway";

  /** Of a response, or of the last one of a stream; empty for the others, and other models'. */
  public static Optional<HeadwayChatMetadata> of(ChatResponse response) {
    final Object known = response.getMetadata().get(KEY);
    return known instanceof HeadwayChatMetadata own ? Optional.of(own) : Optional.empty();
  }

  static HeadwayChatMetadata of(Reply reply) {
    final EngineTimes.Times times = reply.times();
    return new HeadwayChatMetadata(
        reply.waits(),
        reply.preemptions(),
        reply.arrivalNs(),
        times == null ? OptionalLong.empty() : OptionalLong.of(times.queuedNs()),
        times == null ? OptionalLong.empty() : OptionalLong.of(times.scheduledNs()),
        reply.firstTokenNs(),
        reply.finishedNs(),
        times == null ? OptionalInt.empty() : OptionalInt.of(times.cachedTokens()));
  }
}
