package dev.headway.server;

import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.RequestTimeouts;
import org.jspecify.annotations.Nullable;

/**
 * What a request asks of the engine beside its answer, within {@link WishLimits}.
 *
 * @param retention how long its blocks are kept, or null for no wish
 * @param forcedTokenIds its answer, given beforehand; empty if the model picks it
 * @param timeouts of its own; those that are absent are the server's
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RequestWishes(
    @Nullable KvCacheRetention retention, int[] forcedTokenIds, RequestTimeouts timeouts) {}
