package dev.headway.examples.custompolicy;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;

/** Makes a {@link TenantsInTurn} for an engine that asks for {@code tenants-in-turn}. */
public final class TenantsInTurnProvider implements PolicyProvider {

  /** Called by {@link java.util.ServiceLoader}. */
  public TenantsInTurnProvider() {}

  @Override
  public String name() {
    return "tenants-in-turn";
  }

  @Override
  public String description() {
    return "Order: the tenant whose latest admission is longest ago. No options.";
  }

  @Override
  public Policies create(PolicyContext context) {
    if (!context.options().isEmpty()) {
      throw new IllegalArgumentException(
          "tenants-in-turn has no options: options=" + context.options());
    }
    final TenantsInTurn turns = new TenantsInTurn();
    return Policies.builder().order(turns).ledger(turns).build();
  }
}
