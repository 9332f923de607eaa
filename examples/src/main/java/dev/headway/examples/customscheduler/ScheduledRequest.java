package dev.headway.examples.customscheduler;

import dev.headway.api.request.Request;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.support.SimpleRequest;

/** A request with what its scheduler keeps beside its tokens. */
final class ScheduledRequest extends SimpleRequest {

  final PromptFirstScheduler owner;
  final OutputListener listener;
  long lastStepId;

  /** Tokens computed before {@link #lastStepId}. */
  int computedBefore;

  ScheduledRequest(
      PromptFirstScheduler owner,
      Request request,
      OutputListener listener,
      long number,
      long arrivalNs,
      long queuedNs) {
    super(request, number, arrivalNs, queuedNs);
    this.owner = owner;
    this.listener = listener;
  }

  /** Tokens it will have at most, for which it gets blocks when it is admitted. */
  int mostTokens(int maxModelLen) {
    return (int) Math.min(maxModelLen, (long) promptTokens() + request().stopRule().maxTokens());
  }

  /** Known tokens that are not computed. */
  int lackingTokens() {
    return knownTokens() - computedTokens();
  }
}
