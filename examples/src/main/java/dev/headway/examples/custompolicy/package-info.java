/**
 * Two policies in a jar of their own: {@code target/headway-examples-*-custom-policy.jar}.
 *
 * <p>Read {@link dev.headway.examples.custompolicy.SparePreempted}, then {@link
 * dev.headway.examples.custompolicy.SparePreemptedProvider}, which the jar names in {@code
 * META-INF/services/dev.headway.api.policy.PolicyProvider}. With the jar on the class path, {@code
 * HeadwayEngine.builder(executor).policy("spare-preempted")} makes the policy; without that name
 * nothing of it runs. {@link dev.headway.examples.custompolicy.TenantsInTurn} is an order, named in
 * the same file. The jar depends on {@code headway-api} and on nothing else.
 */
@NullMarked
package dev.headway.examples.custompolicy;

import org.jspecify.annotations.NullMarked;
