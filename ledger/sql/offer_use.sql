USE atlas_offer
