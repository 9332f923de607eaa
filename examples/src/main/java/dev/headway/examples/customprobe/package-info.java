/**
 * A probe in its own jar: {@code target/headway-examples-*-custom-probe.jar}.
 *
 * <p>Read {@link dev.headway.examples.customprobe.LongestWait}, then {@link
 * dev.headway.examples.customprobe.LongestWaitProvider}, which the jar names in {@code
 * META-INF/services/dev.headway.api.probe.ProbeProvider}. With the jar on the class path, {@code
 * HeadwayEngine.builder(executor).probe("longest-wait")} makes the probe; without that name nothing
 * of it runs. It depends on {@code headway-api} and {@code headway-events}.
 */
@NullMarked
package dev.headway.examples.customprobe;

import org.jspecify.annotations.NullMarked;
