package dev.headway.cli.serve;

import dev.headway.events.model.QueueSums;
import dev.headway.events.model.RunModel;
import dev.headway.report.fpm.ForwardPass;
import dev.headway.report.fpm.ForwardPasses;
import dev.headway.report.fpm.ScheduledSums;
import dev.headway.routing.fpm.ForwardPassMetrics;
import dev.headway.routing.fpm.ForwardPassPublisher;
import java.io.IOException;

/** Takes the forward passes of a live engine to a socket, which it closes. */
final class ForwardPassStream extends RunModel {

  private static final double NS_PER_SECOND = 1e9;

  private final ForwardPassPublisher publisher;

  ForwardPassStream(ForwardPassPublisher publisher) {
    super(new ForwardPasses(pass -> publisher.offer(metrics(pass)), () -> {}));
    this.publisher = publisher;
  }

  @Override
  public void close() throws IOException {
    try {
      super.close();
    } finally {
      publisher.close();
    }
  }

  private static ForwardPassMetrics metrics(ForwardPass pass) {
    final ScheduledSums scheduled = pass.scheduled();
    final QueueSums queued = pass.queued();
    return new ForwardPassMetrics(
        pass.wallNs() / NS_PER_SECOND,
        new ForwardPassMetrics.Scheduled(
            scheduled.promptLengths().count(),
            scheduled.prefillTokens(),
            scheduled.promptLengths().variance(),
            scheduled.prefillContext(),
            scheduled.decodes().count(),
            scheduled.decodes().sum(),
            scheduled.decodes().variance()),
        new ForwardPassMetrics.Queued(
            queued.neverAdmitted().count(),
            queued.neverAdmitted().sum(),
            queued.neverAdmitted().variance(),
            queued.preempted().count(),
            queued.preempted().sum(),
            queued.preempted().variance()));
  }
}
