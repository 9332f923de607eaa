package dev.headway.api.engine;

/**
 * Counters of an engine since it was made; a snapshot, each figure exact at some recent moment.
 *
 * @param submitted requests handed to {@code submit}
 * @param rejected those refused
 * @param finished those that ended
 * @param waiting requests waiting now
 * @param running requests running now
 * @param steps steps planned
 * @param stepsFailed steps whose executor failed or timed out
 * @param probesDetached probes taken out because they threw
 * @param listenersFailed listeners that threw, once each; at a token, that ended their request
 * @param rejectionsUnreported rejections that no probe heard of because too many came at once or
 *     the engine had ended
 * @param journeyEventsUnreported journey events that no probe heard of, for the same reasons
 */
public record EngineStats(
    long submitted,
    long rejected,
    long finished,
    long waiting,
    long running,
    long steps,
    long stepsFailed,
    long probesDetached,
    long listenersFailed,
    long rejectionsUnreported,
    long journeyEventsUnreported) {}
