package dev.headway.api.probe;

/**
 * A decision: the individual reason of a request was cleared. A running request is scheduled again;
 * a waiting one was not examined and waits for the reason of {@link AdmissionsClosedEvent}.
 */
public interface UnblockedEvent extends RequestEvent {}
