package dev.headway.report.fpm;

import dev.headway.events.model.QueueSums;

/**
 * What one executed step computed, and what waited when it was completed.
 *
 * @param wallNs from the begin of scheduling to the output taken over
 * @param scheduled what was computed
 * @param queued what waits; valid during the call that hands it over
 */
public record ForwardPass(long wallNs, ScheduledSums scheduled, QueueSums queued) {}
