package dev.headway.routing.kvevents.codec;

/**
 * A batch and what of it could not be read.
 *
 * @param batch the events that could be read
 * @param unknownEvents events of a type that is not known here, which is no error
 * @param badEvents events that contradict themselves or miss what they need
 */
public record DecodedBatch(KvBatch batch, int unknownEvents, int badEvents) {}
