package dev.headway.api.policy;

/**
 * The order in which waiting requests are considered: a {@link StaticOrder}, a {@link GroupOrder}
 * or a {@link DynamicOrder}.
 */
public sealed interface QueueOrder permits StaticOrder, GroupOrder, DynamicOrder {}
