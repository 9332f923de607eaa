package dev.headway.api.probe;

/** A request entered the waiting queue, at {@link #atNs()}. */
public interface QueuedEvent extends RequestEvent {}
