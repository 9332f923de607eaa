package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.GroupOrder;
import dev.headway.api.policy.ServiceLedger;
import dev.headway.api.request.PlannedRequest;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.support.LongLongMap;
import java.util.Map;

/**
 * Weighted fairness between tenants: the tenant first that had the least service, each counted by
 *
 * <pre>{@code
 * service += wp * (prompt - cached) / weight     when a request is first admitted
 * service += wq * outputs / weight               after each step
 * service := max(service, least service of the tenants that wait)
 *                                                when a tenant begins to wait
 * }</pre>
 *
 * <p>so that an idle tenant does not accumulate service. Of tenants that always wait, the service
 * of no two drifts apart by more than {@code 2 * max(wp * longest prompt, wq * tokens that fit into
 * the KV cache)}, over any period. Requests without a tenant share one account. Work that is done
 * again after a preemption is not charged, and a preempted request does not count as waiting.
 *
 * <p>All waiting requests take part, however many a tenant has. An arrival, an admission and the
 * service of a step cost O(log tenants that wait) each.
 *
 * <p>Source: Sheng et al., Fairness in Serving Large Language Models (VTC), OSDI '24, its algorithm
 * with weights and its bound for backlogged clients; the discount for cached tokens is ours.
 */
public final class VirtualTokenCounter implements GroupOrder, ServiceLedger {

  private static final String NO_TENANT = "";
  private static final long UNKNOWN = -1;

  private final double promptWeight;
  private final double outputWeight;
  private final TenantAccounts accounts;

  /** Per live request: twice its account, plus one once it was admitted. */
  private final LongLongMap requests = new LongLongMap();

  /**
   * Makes the order.
   *
   * @param promptWeight cost of a prompt token, >= 0
   * @param outputWeight cost of an output, >= 0
   * @param tenantWeights share of a tenant against others, > 0; 1 for those not named
   */
  public VirtualTokenCounter(
      double promptWeight, double outputWeight, Map<String, Double> tenantWeights) {
    this.promptWeight = promptWeight;
    this.outputWeight = outputWeight;
    accounts = new TenantAccounts(tenantWeights);
  }

  /** The service a tenant had, as counted now. */
  public double service(String tenant) {
    return accounts.service(accounts.open(tenant));
  }

  @Override
  public long group(RequestView request) {
    return accountOf(request);
  }

  @Override
  public double score(long group) {
    return accounts.service((int) group);
  }

  @Override
  public void onQueued(RequestView request) {
    final int account = accounts.open(tenant(request));
    accounts.arrive(account);
    requests.put(request.number(), 2L * account);
  }

  @Override
  public void onAdmitted(RequestView request, int cachedTokens) {
    final long entry = requests.get(request.number(), UNKNOWN);
    if (entry != UNKNOWN && !wasAdmitted(entry)) {
      requests.put(request.number(), entry + 1);
      final int computed = Math.max(0, request.promptTokens() - cachedTokens);
      accounts.charge(account(entry), promptWeight * computed);
      accounts.leaveQueue(account(entry));
    }
  }

  @Override
  public void onServed(StepPlan plan) {
    for (int index = 0; index < plan.size(); index++) {
      accounts.charge(accountOf(plan.request(index)), outputWeight * plan.producedTokens(index));
    }
  }

  /** A request that has just ended is not in the table any more when its last step is reported. */
  private int accountOf(PlannedRequest request) {
    final long entry = requests.get(request.number(), UNKNOWN);
    return entry == UNKNOWN ? accounts.open(tenant(request)) : account(entry);
  }

  private static String tenant(PlannedRequest request) {
    final String tenant = request.tenant();
    return tenant == null ? NO_TENANT : tenant;
  }

  @Override
  public void onFinished(RequestView request) {
    final long entry = requests.get(request.number(), UNKNOWN);
    if (entry == UNKNOWN) {
      return;
    }
    requests.remove(request.number());
    if (!wasAdmitted(entry)) {
      accounts.leaveQueue(account(entry));
    }
    accounts.end(account(entry));
  }

  private static int account(long entry) {
    return (int) (entry >> 1);
  }

  private static boolean wasAdmitted(long entry) {
    return (entry & 1) == 1;
  }
}
