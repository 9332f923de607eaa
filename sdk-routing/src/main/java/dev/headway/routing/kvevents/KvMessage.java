package dev.headway.routing.kvevents;

/**
 * A published batch.
 *
 * @param sequence its number, from 0
 * @param payload the batch in MessagePack; kept, not copied
 */
@SuppressWarnings("ArrayRecordComponent") // handed through, never compared
public record KvMessage(long sequence, byte[] payload) {}
