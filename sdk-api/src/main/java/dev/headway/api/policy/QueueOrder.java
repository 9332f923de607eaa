package dev.headway.api.policy;

/**
 * The order in which waiting requests are considered: a {@link StaticOrder} or a {@link
 * DynamicOrder}.
 */
public sealed interface QueueOrder permits StaticOrder, DynamicOrder {}
