package dev.headway.events.model;

import org.jspecify.annotations.Nullable;

/** A request that was refused at submission. */
public record Rejection(
    String id, long arrivalNs, String reason, String message, @Nullable String tenant) {}
