package dev.headway.spring.boot;

import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.CapacityPolicy;
import dev.headway.api.policy.ChunkPolicy;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.QueueOrder;
import dev.headway.api.policy.ServiceLedger;
import dev.headway.api.policy.StepTimeModel;
import dev.headway.api.policy.TokenBudget;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.probe.Probe;
import dev.headway.scheduler.engine.EngineBuilder;
import java.util.function.Consumer;
import org.springframework.beans.factory.BeanFactory;

/** The beans that an engine is made of. One thread. */
final class EngineBeans {

  private final BeanFactory beans;

  EngineBeans(BeanFactory beans) {
    this.beans = beans;
  }

  /**
   * Gives them to the engine: probes, policies as a whole and one by one, a KV connector, and what
   * customizers set.
   *
   * @throws IllegalArgumentException if two of them replace the same decision
   */
  void apply(EngineBuilder builder) {
    each(Probe.class, builder::probe);
    each(Policies.class, builder::policies);
    policies(QueueOrder.class, Policies.Builder::order, builder);
    policies(AdmissionGate.class, Policies.Builder::gate, builder);
    policies(CapacityPolicy.class, Policies.Builder::capacity, builder);
    policies(TokenBudget.class, Policies.Builder::budget, builder);
    policies(ChunkPolicy.class, Policies.Builder::chunking, builder);
    policies(VictimPolicy.class, Policies.Builder::victim, builder);
    policies(ServiceLedger.class, Policies.Builder::ledger, builder);
    policies(StepTimeModel.class, Policies.Builder::stepTime, builder);
    each(KvConnector.class, builder::kvConnector);
    each(EngineCustomizer.class, customizer -> customizer.customize(builder));
  }

  /** Sets a decision of a builder. */
  @FunctionalInterface
  private interface Setter<T> {
    Policies.Builder set(Policies.Builder builder, T policy);
  }

  /** One by one, so that the engine's builder names both of two that replace the same decision. */
  private <T> void policies(Class<T> type, Setter<T> setter, EngineBuilder builder) {
    each(type, policy -> builder.policies(setter.set(Policies.builder(), policy).build()));
  }

  private <T> void each(Class<T> type, Consumer<T> action) {
    beans.getBeanProvider(type).orderedStream().forEach(action);
  }
}
