package dev.headway.routing.policy.tree;

import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingObserver;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerPrefixes;
import dev.headway.routing.policy.WorkerSet;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * What workers probably have cached: the prompts they were given, as far as a bound for each worker
 * allows, the latest kept. Prompts are compared as tokens where they are known, else as code points
 * of the text; models are apart.
 *
 * <p>It does not learn what engines evict, so it may hope for more than there is. Called with the
 * router's lock held.
 */
public final class ApproximatePrefixes implements WorkerPrefixes, RoutingObserver {

  private final long maxUnitsPerWorker;
  private final Map<String, TenantTree> trees = new HashMap<>();
  private final Map<Worker, Integer> tenants = new HashMap<>();
  private final BitSet usedTenants = new BitSet();

  /**
   * Begins with nothing.
   *
   * @param maxUnitsPerWorker tokens or code points remembered for each worker, model and kind of
   *     prompt, >= 1
   */
  public ApproximatePrefixes(long maxUnitsPerWorker) {
    if (maxUnitsPerWorker < 1) {
      throw new IllegalArgumentException(
          "maxUnitsPerWorker must be >= 1: maxUnitsPerWorker=" + maxUnitsPerWorker);
    }
    this.maxUnitsPerWorker = maxUnitsPerWorker;
  }

  @Override
  public void match(RoutingRequest request, WorkerSet candidates, int[] matched) {
    final TenantTree tree = trees.get(treeOf(request));
    if (tree == null) {
      return;
    }
    final int[] byTenant = new int[usedTenants.length()];
    tree.match(unitsOf(request), byTenant);
    for (int i = 0; i < matched.length; i++) {
      final Integer tenant = tenants.get(candidates.get(i));
      matched[i] = tenant == null ? 0 : byTenant[tenant];
    }
  }

  @Override
  public void onDispatched(RoutingDecision decision, Worker worker) {
    final RoutingRequest request = decision.request();
    if (request.promptUnits() > 0) {
      trees
          .computeIfAbsent(treeOf(request), first -> new TenantTree(maxUnitsPerWorker))
          .insert(unitsOf(request), tenants.computeIfAbsent(worker, first -> freeTenant()));
    }
  }

  @Override
  public void onWorkerRemoved(Worker worker) {
    final Integer tenant = tenants.remove(worker);
    if (tenant != null) {
      trees.values().forEach(tree -> tree.removeTenant(tenant));
      usedTenants.clear(tenant);
    }
  }

  /** Units held for a worker, over all models. */
  long units(Worker worker) {
    final Integer tenant = tenants.get(worker);
    return tenant == null ? 0 : trees.values().stream().mapToLong(tree -> tree.units(tenant)).sum();
  }

  private int freeTenant() {
    final int tenant = usedTenants.nextClearBit(0);
    usedTenants.set(tenant);
    return tenant;
  }

  private static String treeOf(RoutingRequest request) {
    final String model = request.model() == null ? "" : request.model();
    return (request.hasTokens() ? "tokens " : "text ") + model;
  }

  private static int[] unitsOf(RoutingRequest request) {
    if (request.hasTokens()) {
      return request.tokens();
    }
    final String text = request.text();
    return text == null ? new int[0] : text.codePoints().toArray();
  }
}
