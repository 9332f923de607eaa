package dev.headway.api.policy;

import java.util.Collection;

/**
 * Several policies in one service. Found by {@link java.util.ServiceLoader}, next to single {@link
 * PolicyProvider}s; both kinds are looked up by name in the same way. Names are unique over all of
 * them.
 */
public interface PolicyCatalog {

  /** The policies, each with a name that no other has. Called once per lookup of services. */
  Collection<? extends PolicyProvider> policies();
}
