#!/usr/bin/env bash
# Mistakes that the engine can be told to make, each with the test that notices. A test that passes in spite of its
# mistake fails here; so does a mistake in the code that no line names.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# mistake                        package            test file      test
MISTAKES='
a_failed_look_found_nothing      outtray-simulator  mistakes       a_failed_look_found_nothing
admit_without_end                outtray-core       engine_gitea   a_drain_takes_on_no_more_than_its_admission
bury_without_winning_the_lock    outtray-core       store_peers    a_living_process_is_not_buried_however_long_it_is_silent
claim_live_leases                outtray-core       outbox_leases  what_is_in_hand_is_passed_over_for_what_is_due
claim_without_a_free_worker      outtray-simulator  mistakes       claim_without_a_free_worker
close_before_the_end             outtray-simulator  mistakes       close_before_the_end
count_looks_as_tries             outtray-simulator  scenes         looks_that_fail_for_hours_make_nothing_the_persons
count_takeovers                  outtray-core       outbox_leases  a_takeover_never_raises_attention_and_never_counts_twice
count_the_time_of_the_look       outtray-simulator  scenes         a_look_that_began_too_early_sets_nothing_free
embed_as_it_comes                outtray-simulator  scenes         a_late_sender_takes_no_picture_out_again
file_without_a_word              outtray-core       engine_trackers an_issue_is_filed_without_the_picture_that_is_refused_and_a_retry_sends_just_that_one
forget_doubt                     outtray-simulator  mistakes       forget_doubt
forget_who_was_served            outtray-core       outbox_lanes   the_least_recently_served_lane_comes_next
give_away_what_changed           outtray-core       engine_archive what_changes_while_it_is_exported_is_not_given_away
honour_wishes_in_doubt           outtray-simulator  mistakes       honour_wishes_in_doubt
ignore_lane_cap                  outtray-core       outbox_lanes   a_lane_with_its_share_of_the_workers_waits_even_when_it_is_the_least_recently_served
intend_despite_a_sighting        outtray-core       outbox_leases  nobody_creates_what_somebody_has_seen
intend_despite_a_wish            outtray-core       outbox_acts    a_withdrawal_of_what_a_worker_holds_is_a_wish_that_stops_the_intent
intend_unfenced                  outtray-core       outbox_leases  no_intent_is_noted_without_a_live_lease
keep_late_news_to_oneself        outtray-simulator  scenes         a_late_answer_of_a_displaced_sender_is_news_and_ends_the_doubt_at_once
keep_what_was_refused            outtray-core       store_writes   what_one_cannot_do_is_undone_alone
know_all_doors                   outtray-core       store_peers    whoever_comes_while_others_have_been_ringing_for_a_while_is_rung_at
late_401_holds                   outtray-core       outbox_lanes   a_late_refusal_of_an_old_token_does_not_hold_a_lane_that_was_just_signed_in
move_what_is_in_hand             outtray-core       engine_archive what_is_being_sent_cannot_move_and_nothing_else_does_then
never_ask_again                  outtray-simulator  scenes         a_token_that_could_not_be_noted_is_asked_for_again_though_nothing_else_happens
never_renew                      outtray-simulator  scenes         a_slow_stage_outlives_many_leases_and_nobody_takes_it_over
praise_a_failed_commit           outtray-core       store_writes   a_commit_that_fails_has_failed_for_all_that_are_in_it
quiet_time_counts_sleep          outtray-simulator  mistakes       quiet_time_counts_sleep
quiet_time_from_the_send         outtray-simulator  mistakes       quiet_time_from_the_send
releases_count                   outtray-core       outbox_leases  a_release_gives_the_try_back
renew_expired                    outtray-core       outbox_leases  an_expired_lease_cannot_be_renewed_even_if_nobody_took_it
renew_unfenced                   outtray-core       outbox_leases  a_displaced_worker_cannot_settle
resend_beside_a_living_sender    outtray-simulator  mistakes       resend_beside_a_living_sender
resend_without_quiet_time        outtray-simulator  mistakes       resend_without_quiet_time
retry_breaks_into_leases         outtray-core       outbox_acts    a_retry_while_a_worker_has_it_is_honoured_when_the_try_ends
return_before_the_commit         outtray-core       store_writes   what_is_returned_is_committed_whoever_wrote_at_the_same_time
ring_at_no_other_door            outtray-core       store_peers    a_change_rings_at_the_other_process
send_copies                      outtray-core       engine_archive a_copy_that_both_computers_file_is_one_issue
send_on_after_expiry             outtray-core       outbox_leases  a_stage_that_ends_after_the_lease_is_settled_and_nothing_more_is_sent
send_unsigned                    outtray-core       engine_gitea   nothing_is_sent_without_the_token_that_is_still_being_asked_for
settle_by_token_alone            outtray-core       outbox_leases  the_token_alone_is_not_enough
settle_unfenced                  outtray-core       outbox_leases  a_displaced_worker_cannot_settle
share_names                      outtray-core       engine_archive a_destination_is_found_or_made_under_a_name_of_its_own
sightings_wake_nobody            outtray-core       outbox_doubt   a_sighting_outweighs_whatever_the_owner_brings_back
take_an_early_word_for_a_look    outtray-simulator  scenes         what_a_person_did_not_find_yet_is_no_look
take_an_unasked_word_for_a_look  outtray-simulator  scenes         what_a_person_says_unasked_is_no_look
trust_beyond_the_lease           outtray-core       outbox_leases  a_renewed_lease_is_not_taken_over
trust_what_came                  outtray-core       engine_archive a_copy_that_both_computers_file_is_one_issue
withdraw_at_once                 outtray-core       outbox_acts    a_wish_waits_until_the_doubt_is_resolved
'

passed=0
failed=0

wrong() {
  failed=$((failed + 1))
  printf 'test mistake %s ... FAILED: %s\n' "$1" "$2"
}

named=$(grep -rhoE 'mistake\("[a-z_0-9]+"\)' src-tauri/core/src | sed -E 's/.*"(.*)".*/\1/' | sort -u)
for mistake in $named; do
  grep -q "^$mistake " <<<"$MISTAKES" || wrong "$mistake" "no line names the test that notices"
done

while read -r mistake package file test; do
  [ -n "$mistake" ] || continue
  if ! grep -qx "$mistake" <<<"$named"; then
    wrong "$mistake" "the code makes no such mistake"
    continue
  fi
  told=$(OUTTRAY_MISTAKE=$mistake cargo test --quiet --package "$package" --test "$file" -- --exact "$test" 2>&1)
  if grep -q '0 passed; 1 failed' <<<"$told"; then
    passed=$((passed + 1))
    printf 'test mistake %s ... ok\n' "$mistake"
  else
    wrong "$mistake" "$test does not notice"
    tail -n 3 <<<"$told"
  fi
done <<<"$MISTAKES"

printf '\ntest result: %s. %s passed; %s failed; 0 ignored\n' "$([ "$failed" = 0 ] && echo ok || echo FAILED)" "$passed" "$failed"
[ "$failed" = 0 ]
