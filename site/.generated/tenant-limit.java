import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestView;
import java.util.Objects;

/** At most so many running requests per tenant; requests of other tenants pass those that wait. */
public final class TenantLimit implements AdmissionGate {

  private final int most;

  public TenantLimit(int most) {
    this.most = most;
  }

  @Override
  public Verdict admit(RequestView request, StepView step) {
    int running = 0;
    for (int i = 0; i < step.runningCount(); i++) {
      if (Objects.equals(step.running(i).request().tenant(), request.request().tenant())) {
        running++;
      }
    }
    return running < most ? Verdict.ADMIT : Verdict.DEFER; // waits with policy_deferred
  }
}
