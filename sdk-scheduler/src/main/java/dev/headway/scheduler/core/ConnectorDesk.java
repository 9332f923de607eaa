package dev.headway.scheduler.core;

import dev.headway.api.kvcache.connector.BlockRelease;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.request.FinishReason;
import dev.headway.scheduler.state.RemoteKv;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * Asks the KV connector and tells it of requests: an impossible answer or an exception concerns one
 * request and nothing else. Engine thread only.
 */
final class ConnectorDesk {

  private final SchedulerState state;
  private final KvConnector connector;
  private final ExternalTokens answer = new ExternalTokens();
  private @Nullable RuntimeException failure;

  ConnectorDesk(SchedulerState state, KvConnector connector) {
    this.state = state;
    this.connector = connector;
  }

  /** Why the latest call has failed. */
  @Nullable RuntimeException failure() {
    return failure;
  }

  /**
   * Asks for tokens behind the local ones; how many is in {@code request.remote}.
   *
   * @return null if it has failed
   */
  ExternalTokens.@Nullable Kind lookUp(RequestState request, RemoteKv remote, int localTokens) {
    remote.tokens = 0;
    final boolean savesNothing = state.limits.finishesUnschedulable && request.knownTokens == 1;
    if (remote.asksNoMore || savesNothing) { // vLLM loads the only token over and over
      return ExternalTokens.Kind.NONE;
    }
    answer.none();
    try {
      connector.lookup(request, localTokens, answer);
    } catch (RuntimeException e) {
      failure = e;
      return null;
    }
    final boolean inStep = answer.kind() == ExternalTokens.Kind.IN_STEP;
    final int most = request.knownTokens - localTokens - (inStep ? 1 : 0);
    if (answer.tokens() < 0 || answer.tokens() > most) {
      failure = impossible(request, localTokens, most);
      return null;
    }
    remote.tokens = Math.min(answer.tokens(), usable(request, localTokens));
    return remote.tokens == 0 && answer.tokens() > 0 ? ExternalTokens.Kind.NONE : answer.kind();
  }

  /**
   * The last known token is computed again, and a window then looks at one token more than behind
   * it, whose block may have been left out. vLLM loads all.
   */
  private int usable(RequestState request, int localTokens) {
    final boolean all = state.limits.keepsWholeContext || !state.limits.finishesUnschedulable;
    return request.knownTokens - localTokens - (all ? 0 : 1);
  }

  private IllegalStateException impossible(RequestState request, int localTokens, int most) {
    return new IllegalStateException(
        "external tokens must be in [0, most], so that they are known and one is left to be computed"
            + " in the step that loads them: id="
            + request.id()
            + ", answer="
            + answer
            + ", most="
            + most
            + ", localTokens="
            + localTokens
            + ", knownTokens="
            + request.knownTokens);
  }

  /** Tells of an admission, or of a load that may begin; returns false if that has failed. */
  boolean admitted(RequestState request, int externalTokens) {
    try {
      connector.admitted(request, request.kv(), externalTokens);
      return true;
    } catch (RuntimeException e) {
      failure = e;
      return false;
    }
  }

  /** Tells of a request that has ended; a failure counts, and its blocks are free at once. */
  BlockRelease finished(RequestState request, FinishReason reason) {
    final boolean isSure = reason != FinishReason.EXECUTOR_FAILED;
    try {
      final BlockRelease answer =
          connector.requestFinished(
              request, request.kv(), isSure ? request.computedTokens : 0, reason);
      return isSure ? answer : BlockRelease.NOW;
    } catch (RuntimeException e) {
      state.counts.connectorFaults++;
      return BlockRelease.NOW;
    }
  }

  /** Whether nothing is written to the blocks of a request any more that has ended. */
  boolean cancelsLoad(RequestState request) {
    try {
      return connector.cancelLoad(request);
    } catch (RuntimeException e) {
      state.counts.connectorFaults++;
      return false;
    }
  }
}
