package dev.headway.examples.custompolicy;

import dev.headway.api.policy.GroupOrder;
import dev.headway.api.policy.ServiceLedger;
import dev.headway.api.request.RequestView;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Tenants in turn: the one whose latest admission is longest ago comes first, of equals the one
 * that came first, and requests of a tenant by arrival. Requests without a tenant are one tenant.
 *
 * <p>Engine thread only. Keeps a number for each tenant that it has seen; allocates for new ones.
 */
public final class TenantsInTurn implements GroupOrder, ServiceLedger {

  private final Map<String, Integer> groups = new HashMap<>();
  private long[] latestAdmission = new long[16];
  private long admissions;

  /** Makes the policy, for one engine. */
  public TenantsInTurn() {}

  @Override
  public long group(RequestView request) {
    return groupOf(request);
  }

  @Override
  public double score(long group) {
    return latestAdmission[(int) group]; // it only rises, so no group is overlooked
  }

  @Override
  public void onAdmitted(RequestView request, int cachedTokens) {
    latestAdmission[groupOf(request)] = ++admissions;
  }

  private int groupOf(RequestView request) {
    final String tenant = request.request().tenant() == null ? "" : request.request().tenant();
    final Integer known = groups.get(tenant);
    if (known != null) {
      return known;
    }
    final int group = groups.size();
    groups.put(tenant, group);
    if (group == latestAdmission.length) {
      latestAdmission = Arrays.copyOf(latestAdmission, 2 * group);
    }
    return group;
  }
}
