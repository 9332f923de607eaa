package dev.headway.api.probe;

/**
 * A decision: the individual reason of a request was cleared. A running request is scheduled again;
 * a waiting one was not examined and waits for the reason of {@link AdmissionsClosedEvent}.
 *
 * <p>With an instant in {@link #atNs()} it is no decision of a step: what held the request is over
 * since then, and no decision has considered it yet.
 */
public interface UnblockedEvent extends RequestEvent {}
