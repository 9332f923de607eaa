package dev.headway.api.probe;

/** The first token of a request was generated; available at {@link #atNs()}. */
public interface FirstTokenEvent extends RequestEvent {}
